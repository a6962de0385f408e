import { type StatusView, status } from '../api/status.ts';
import { useCell } from './cell.ts';

/** Whether to offer what only operators may do: what would be refused in the end is not offered first. */
export function useMayOperate(): boolean {
  return useCell(status, mayOperateOf);
}

const mayOperateOf = ({ value }: StatusView): boolean => value?.mayOperate ?? true;
