import { Fault } from '../../core/fault.ts';
import type { UnreadableLine } from './input-line.ts';

/** Empty lines in a file of events: fine at its end, and a gap wherever something follows. */
export class BlankLines {
  #count = 0;

  /** Whether the line is empty; it is remembered until it is known what follows. */
  takes(text: string): boolean {
    if (text !== '' && text !== '\r') return false;
    this.#count += 1;
    return true;
  }

  /** The gap before the line of this number, which is not empty; null where there is none. */
  gapBefore(number: number): UnreadableLine | null {
    const lines = this.#count;
    if (lines === 0) return null;
    this.#count = 0;
    const fault = new Fault('INPUT_INVALID', 'an event must be an object, but the line is empty');
    return { number: number - lines, fault, lines };
  }
}
