import { createCell } from './cell.ts';

/** Whether the list of decisions stands still, for reading. Counts and chart go on. */
export const isPaused = createCell(false);
