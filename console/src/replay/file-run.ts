import type { FileLine } from './line-splitter.ts';
import type { ReplayResult } from './replay-messages.ts';

/** A replay of one file, line by line. */
export interface FileRun {
  /** Decisions so far. */
  readonly events: number;
  /** Decides what a line tells. Null when that is done; else it has to be waited for before the next line. */
  add(line: FileLine): Promise<void> | null;
  /** After the last line. */
  finish(): Promise<ReplayResult>;
}
