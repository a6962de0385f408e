import type { Confidence } from '../core/subject.ts';

/** A device as a request shows it, ready for a guard. */
export interface ShownDevice {
  /** At most 64 characters. */
  readonly id: string;
  readonly confidence: Confidence;
}

/** Reads a header by its lower-case name. */
export type HeaderReader = (name: string) => string | null | undefined;
