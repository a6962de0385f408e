import { Fault, shapeOf } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import { Snapshot } from './envelope.ts';
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
    const seenAtMs = this.#monotonicMs();
    const reading = new Map<string, Snapshot>();
    if (this.#link.isCluster) {
      const pages = bySlot(keys);
      const replies = await Promise.all(pages.map((page) => this.#link.send(page, page[1] ?? '')));
      pages.forEach((page, index) => {
        take(page, replies[index], seenAtMs, reading);
      });
    } else {
      const command = ['MGET'];
      for (const { text, was } of keys) was === null ? command.push(text) : command.push(text, was);
      take(command, await this.#link.send(command, command[1] ?? ''), seenAtMs, reading);
    }
    return reading;
  }
}

/** One `MGET` for each slot. */
function bySlot(keys: readonly Key[]): readonly string[][] {
  const pages = new Map<number, string[]>();
  const add = (text: string): void => {
    const slot = slotOf(text);
    const page = pages.get(slot);
    if (page === undefined) pages.set(slot, ['MGET', text]);
    else page.push(text);
  };
  for (const { text, was } of keys) {
    add(text);
    if (was !== null) add(was);
  }
  return [...pages.values()];
}

/** Puts what an `MGET` has answered into the reading. */
function take(
  command: readonly string[],
  reply: unknown,
  seenAtMs: number,
  reading: Map<string, Snapshot>,
): void {
  const absent = Snapshot.absent(seenAtMs);
  for (let place = 1; place < command.length; place += 1) {
    const text = textIn(reply, place - 1);
    reading.set(command[place] ?? '', text === null ? absent : Snapshot.read(text, seenAtMs));
  }
}

/** A text, or null, out of an array reply. */
function textIn(reply: unknown, place: number): string | null {
  const text: unknown = Array.isArray(reply) ? reply[place] : undefined;
  if (typeof text === 'string' || text === null) return text;
  throw new Fault('STORE_FAILED', `Redis answered with ${shapeOf(reply)} where an array of texts was due.`);
}
