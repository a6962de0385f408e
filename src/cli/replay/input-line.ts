import type { Fault } from '../../core/fault.ts';

/** A line of input and its number, from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Its bytes are those of this block from `start` to `end`: much faster to walk than its characters. */
  readonly block: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** A line that cannot be read; its number, from 1, and why. */
export interface UnreadableLine {
  readonly number: number;
  readonly fault: Fault;
  /** How many lines in a row are alike: a gap in a file of events is told once. */
  readonly lines: number;
}

/** Longer lines are refused, so that no input makes us hold it whole. In bytes. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Why a line cannot be read. */
export const unreadable = {
  tooLong: `longer than ${MAX_LINE_BYTES} bytes`,
  notUtf8: 'not valid UTF-8',
} as const;
