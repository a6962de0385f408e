import type { ChartColumns } from '../feed/live-state.ts';

type StackedData = [number[], number[], number[], number[], number[], (number | null)[]];

/** Columns summed up from the ground: hard blocks lowest, because they are what one looks for. Drawn from behind. */
export function stackOf({ times, hard, soft, allow, withheld, topLevel }: ChartColumns): StackedData {
  const softTop = hard.map((value, index) => value + (soft[index] ?? 0));
  const allowTop = softTop.map((value, index) => value + (allow[index] ?? 0));
  const allTop = allowTop.map((value, index) => value + (withheld[index] ?? 0));
  return [times, allTop, allowTop, softTop, hard, topLevel];
}
