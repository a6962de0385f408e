import { Fault, invariant, shapeOf } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import { Snapshot } from './envelope.ts';
import { Gathering } from './gathering.ts';
import type { Link } from './link.ts';
import { Reading } from './reading.ts';
import { slotOf } from './slot.ts';

/** How many records one command may read for several at once: other clients of the server wait meanwhile. */
const maxRecords = 256;

/** Records that somebody waits for. */
interface Wanted {
  readonly keys: readonly Key[];
  /** How many texts the keys have. */
  readonly texts: number;
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
    return this.#link.isCluster ? this.#readBySlot(keys) : this.#readTogether(keys);
  }

  #readTogether(keys: readonly Key[]): Promise<Reading> {
    return new Promise((resolve, reject) => {
      let texts = keys.length;
      for (const { was } of keys) if (was !== null) texts += 1;
      this.#wanted.add({ keys, texts, resolve, reject });
    });
  }

  #sendAll(wanted: readonly Wanted[]): void {
    let together: Wanted[] = [];
    let records = 0;
    for (const one of wanted) {
      if (together.length > 0 && records + one.texts > maxRecords) {
        this.#send(together);
        together = [];
        records = 0;
      }
      together.push(one);
      records += one.texts;
    }
    this.#send(together);
  }

  #send(together: readonly Wanted[]): void {
    const command = ['MGET'];
    for (const { keys } of together) appendTexts(command, keys);
    const seenAtMs = this.#monotonicMs();
    this.#link.send(command, command[1] ?? '').then(
      (reply) => {
        if (!isFor(command.length - 1, reply)) this.#link.doubt(command[1] ?? '');
        const answers = new Answers(reply, seenAtMs);
        let place = 0;
        for (const one of together) {
          tell(one, answers, place);
          place += one.texts;
        }
      },
      (cause: unknown) => {
        for (const { reject } of together) reject(cause);
      },
    );
  }

  async #readBySlot(keys: readonly Key[]): Promise<Reading> {
    const seenAtMs = this.#monotonicMs();
    const pages = bySlot(appendTexts([], keys));
    const replies = await Promise.all(pages.map((page) => this.#link.send(['MGET', ...page], page[0] ?? '')));
    const found = new Map<string, Snapshot>();
    pages.forEach((page, index) => {
      if (!isFor(page.length, replies[index])) this.#link.doubt(page[0] ?? '');
      const answers = new Answers(replies[index], seenAtMs);
      for (const text of page) found.set(text, answers.next());
    });
    return readingOf(keys, (text) => found.get(text));
  }
}

/** The present texts of the keys and, right after each, its previous one: the order in which a reading asks for them. */
function appendTexts(list: string[], keys: readonly Key[]): string[] {
  for (const { text, was } of keys) was === null ? list.push(text) : list.push(text, was);
  return list;
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
function tell({ keys, resolve, reject }: Wanted, answers: Answers, from: number): void {
  try {
    answers.place = from;
    resolve(readingOf(keys, () => answers.next()));
  } catch (cause) {
    reject(cause);
  }
}

function readingOf(keys: readonly Key[], find: (text: string) => Snapshot | undefined): Reading {
  const reading = Reading.of(keys, find);
  invariant(reading !== undefined, 'A reading lacks a record that was asked for.');
  return reading;
}

/**
 * What an `MGET` has answered, one text after the other. All that were not there are one and the same: mostly nothing is
 * known of a client that fails, and what says so is remembered with each of its records.
 */
class Answers {
  readonly #reply: unknown;
  readonly #seenAtMs: number;
  /** Of the text that comes next. */
  place = 0;
  #absent: Snapshot | null = null;

  constructor(reply: unknown, seenAtMs: number) {
    this.#reply = reply;
    this.#seenAtMs = seenAtMs;
  }

  next(): Snapshot {
    const text = textIn(this.#reply, this.place);
    this.place += 1;
    if (text !== null) return Snapshot.read(text, this.#seenAtMs);
    this.#absent ??= Snapshot.absent(this.#seenAtMs);
    return this.#absent;
  }
}

/** Whether a reply may be the one to this many texts: else it may be that to another command. */
function isFor(texts: number, reply: unknown): boolean {
  return Array.isArray(reply) && reply.length === texts;
}

/** A text, or null, out of an array reply. */
function textIn(reply: unknown, place: number): string | null {
  const text: unknown = Array.isArray(reply) ? reply[place] : undefined;
  if (typeof text === 'string' || text === null) return text;
  throw new Fault('STORE_FAILED', `Redis answered with ${shapeOf(reply)} where an array of texts was due.`);
}
