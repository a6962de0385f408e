import type { ScenarioFinding } from '../../abuse/events.ts';
import type { RequestEntry } from '../../abuse/log-formats/log-entry.ts';

const MOST_SUSPECTS = 65_536;

/**
 * Remembers against whom scenarios may hold something, and until when, so that nobody else's standing has to be looked
 * up. Errs towards looking: what is held against more than one IPv4 address is held against everybody here.
 */
export class Suspects {
  readonly #untilByAddress = new Map<string, number>();
  #everybodyUntil = 0;

  note({ key, until }: ScenarioFinding, { ip, user }: RequestEntry): void {
    const end = until ?? Number.POSITIVE_INFINITY;
    const isOne = (key === 'client' || key === 'network') && user === null && !ip.includes(':');
    if (!isOne || this.#untilByAddress.size >= MOST_SUSPECTS) {
      this.#everybodyUntil = Math.max(this.#everybodyUntil, end);
      return;
    }
    this.#untilByAddress.set(ip, Math.max(end, this.#untilByAddress.get(ip) ?? 0));
  }

  /** False when nothing is held against the sender of this request. */
  mayInclude({ ip, t }: RequestEntry): boolean {
    return t < this.#everybodyUntil || t < (this.#untilByAddress.get(ip) ?? 0);
  }
}
