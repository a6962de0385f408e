import { Fault, shapeOf } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import { Snapshot } from './envelope.ts';
import { Gathering } from './gathering.ts';
import type { Link } from './link.ts';
import type { Reading } from './record-cache.ts';
import { slotOf } from './slot.ts';

/** How many records one command may read for several at once: other clients of the server wait meanwhile. */
const maxRecords = 256;

/** Records that somebody waits for. */
interface Wanted {
  readonly texts: readonly string[];
  readonly resolve: (reading: Reading) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Reads records, all in one round trip. What is asked for in the same turn shares one `MGET`: a command costs the server,
 * and this process, more than a record does. On a cluster records live in different slots, and each has an `MGET` of its
 * own, sent together.
 */
export class Reader {
  readonly #link: Link;
  readonly #monotonicMs: () => number;
  readonly #wanted = new Gathering<Wanted>((wanted) => this.#sendAll(wanted));

  constructor(link: Link, monotonicMs: () => number) {
    this.#link = link;
    this.#monotonicMs = monotonicMs;
  }

  /** Everything stored under the keys, under their previous texts too while a rotation runs. */
  read(keys: readonly Key[]): Promise<Reading> {
    const texts: string[] = [];
    for (const { text, was } of keys) was === null ? texts.push(text) : texts.push(text, was);
    return this.#link.isCluster ? this.#readBySlot(texts) : this.#readTogether(texts);
  }

  #readTogether(texts: readonly string[]): Promise<Reading> {
    return new Promise((resolve, reject) => {
      this.#wanted.add({ texts, resolve, reject });
    });
  }

  #sendAll(wanted: readonly Wanted[]): void {
    let together: Wanted[] = [];
    let records = 0;
    for (const one of wanted) {
      if (together.length > 0 && records + one.texts.length > maxRecords) {
        this.#send(together);
        together = [];
        records = 0;
      }
      together.push(one);
      records += one.texts.length;
    }
    this.#send(together);
  }

  #send(together: readonly Wanted[]): void {
    const command = ['MGET'];
    for (const { texts } of together) for (const text of texts) command.push(text);
    const seenAtMs = this.#monotonicMs();
    this.#wanted.begin();
    this.#link.send(command, command[1] ?? '').then(
      (reply) => {
        this.#wanted.end();
        let place = 0;
        for (const one of together) {
          tell(one, reply, place, seenAtMs);
          place += one.texts.length;
        }
      },
      (cause: unknown) => {
        this.#wanted.end();
        for (const { reject } of together) reject(cause);
      },
    );
  }

  async #readBySlot(texts: readonly string[]): Promise<Reading> {
    const seenAtMs = this.#monotonicMs();
    const reading = new Map<string, Snapshot>();
    const pages = bySlot(texts);
    const replies = await Promise.all(pages.map((page) => this.#link.send(['MGET', ...page], page[0] ?? '')));
    pages.forEach((page, index) => {
      take(page, replies[index], 0, seenAtMs, reading);
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

/** Whoever asked for a record that cannot be read is told so; the others are not concerned. */
function tell({ texts, resolve, reject }: Wanted, reply: unknown, from: number, seenAtMs: number): void {
  const reading = new Map<string, Snapshot>();
  try {
    take(texts, reply, from, seenAtMs, reading);
  } catch (cause) {
    reject(cause);
    return;
  }
  resolve(reading);
}

/** Puts what an `MGET` has answered, from this place on, into the reading. */
function take(
  texts: readonly string[],
  reply: unknown,
  from: number,
  seenAtMs: number,
  reading: Map<string, Snapshot>,
): void {
  const absent = Snapshot.absent(seenAtMs);
  for (let place = 0; place < texts.length; place += 1) {
    const stored = textIn(reply, from + place);
    reading.set(texts[place] ?? '', stored === null ? absent : Snapshot.read(stored, seenAtMs));
  }
}

/** A text, or null, out of an array reply. */
function textIn(reply: unknown, place: number): string | null {
  const text: unknown = Array.isArray(reply) ? reply[place] : undefined;
  if (typeof text === 'string' || text === null) return text;
  throw new Fault('STORE_FAILED', `Redis answered with ${shapeOf(reply)} where an array of texts was due.`);
}
