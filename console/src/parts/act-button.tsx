import type { ComponentChildren } from 'preact';
import { useMayOperate } from '../state/operating.ts';

interface ActButtonProps {
  readonly children: ComponentChildren;
  readonly onClick: () => void;
  /** Whether it does harm to somebody. */
  readonly isGrave?: boolean;
}

/** Begins what only operators may do: not there for who may only look. */
export function ActButton({ children, onClick, isGrave = false }: ActButtonProps) {
  if (!useMayOperate()) return null;
  return (
    <button type="button" class={isGrave ? 'small danger' : 'small'} onClick={onClick}>
      {children}
    </button>
  );
}
