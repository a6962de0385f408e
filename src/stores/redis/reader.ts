import { Fault, shapeOf } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import { Snapshot } from './envelope.ts';
import { textsOf } from './known-blocks.ts';
import type { Link } from './link.ts';
import type { Reading } from './record-cache.ts';
import { slotOf } from './slot.ts';

/** Reads records, all in one round trip: one `MGET`, or on a cluster one for each slot, sent together. */
export class Reader {
  readonly #link: Link;
  readonly #monotonicMs: () => number;

  constructor(link: Link, monotonicMs: () => number) {
    this.#link = link;
    this.#monotonicMs = monotonicMs;
  }

  /** Everything stored under the keys, under their previous texts too while a rotation runs. */
  async read(keys: readonly Key[]): Promise<Reading> {
    const texts = keys.flatMap(textsOf);
    const seenAtMs = this.#monotonicMs();
    const reading = new Map<string, Snapshot>();
    const pages = this.#link.isCluster ? bySlot(texts) : [texts];
    const replies = await Promise.all(pages.map((page) => this.#link.send(['MGET', ...page], page[0] ?? '')));
    pages.forEach((page, index) => {
      const values = replies[index];
      page.forEach((text, place) => {
        reading.set(text, Snapshot.read(textIn(values, place), seenAtMs));
      });
    });
    return reading;
  }
}

function bySlot(texts: readonly string[]): readonly string[][] {
  const pages = new Map<number, string[]>();
  for (const text of texts) {
    const slot = slotOf(text);
    const page = pages.get(slot);
    if (page === undefined) pages.set(slot, [text]);
    else page.push(text);
  }
  return [...pages.values()];
}

/** A text, or null, out of an array reply. */
export function textIn(reply: unknown, place: number): string | null {
  const text: unknown = Array.isArray(reply) ? reply[place] : undefined;
  if (typeof text === 'string' || text === null) return text;
  throw new Fault('STORE_FAILED', `Redis answered with ${shapeOf(reply)} where an array of texts was due.`);
}
