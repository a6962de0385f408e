import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../core/records.ts';
import { KnownRecords } from './known-records.ts';

/** A file as one process sees it: what is in it, the mark of its last change, and what waits for its commit. */
class File {
  readonly known: KnownRecords;
  readonly values = new Map<string, number>();
  reads = 0;
  #mark: string | undefined;
  #marks = 0;
  readonly #keys = new Map<string, Key>();
  #commit: (() => void) | null = null;

  constructor(mostChars: number) {
    this.known = new KnownRecords(mostChars);
  }

  view(text: string): number | undefined {
    this.known.follow(this.#mark);
    const known = this.known.find(this.#keyOf(text));
    if (known !== undefined) return known.record?.at;
    this.reads += 1;
    const at = this.values.get(text);
    this.known.learn(text, at === undefined ? undefined : { at }, Number.POSITIVE_INFINITY, 10);
    return at;
  }

  /** A write of this process; it is to be seen once {@link commit} was called. */
  write(texts: readonly string[], value: number): void {
    this.commit();
    const to = this.#nextMark('own');
    this.known.expect({ from: this.#mark, to, texts: new Set(texts) });
    this.#commit = () => this.#put(texts, value, to);
  }

  commit(): void {
    this.#commit?.();
    this.#commit = null;
  }

  fail(): void {
    this.#commit = null;
  }

  /** Another process can write when this one does not. */
  writeElsewhere(texts: readonly string[], value: number): void {
    this.commit();
    this.#put(texts, value, this.#nextMark('other'));
  }

  /** Keys are kept by those who ask, with the bookmarks in them. */
  #keyOf(text: string): Key {
    const key = this.#keys.get(text) ?? { text, was: null };
    this.#keys.set(text, key);
    return key;
  }

  #nextMark(whose: string): string {
    this.#marks += 1;
    return `${whose}:${this.#marks}`;
  }

  #put(texts: readonly string[], value: number, mark: string): void {
    for (const text of texts) this.values.set(text, value);
    this.#mark = mark;
  }
}

const names = ['a', 'b', 'c', 'd'] as const;
const name = fc.constantFrom(...names);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('view' as const), text: name }) },
  fc.record({
    what: fc.constant('write' as const),
    isElsewhere: fc.boolean(),
    texts: fc.array(name, { minLength: 1 }),
    value: fc.nat(),
  }),
  fc.record({ what: fc.constant('end' as const), isWell: fc.boolean() }),
);

describe('known records', () => {
  it('never show anything but what the file holds', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), fc.integer({ min: 0, max: 1_000 }), (acts, mostChars) => {
        const file = new File(mostChars);
        for (const act of acts) {
          if (act.what === 'view') expect(file.view(act.text)).toBe(file.values.get(act.text));
          else if (act.what === 'end') act.isWell ? file.commit() : file.fail();
          else if (act.isElsewhere) file.writeElsewhere(act.texts, act.value);
          else file.write(act.texts, act.value);
        }
        for (const text of names) expect(file.view(text)).toBe(file.values.get(text));
      }),
    );
  });

  it('are not read again while nothing changes', () => {
    const file = new File(10_000);
    for (let n = 0; n < 5; n += 1) for (const text of names) file.view(text);
    expect(file.reads).toBe(names.length);
  });

  it('outlive what this process writes elsewhere in the file', () => {
    const file = new File(10_000);
    for (const text of names) file.view(text);
    file.write(['a'], 1);
    file.commit();
    file.write(['b'], 2);
    file.commit();
    expect(names.map((text) => file.view(text))).toEqual([1, 2, undefined, undefined]);
    expect(file.reads).toBe(names.length + 2);
  });

  it('are bounded, and keep what is asked for again and again', () => {
    const file = new File(20_000);
    for (let n = 0; n < 5_000; n += 1) {
      file.view('a');
      file.view(`once-${n}`);
    }
    expect(file.reads).toBeLessThan(5_100);
    for (let n = 0; n < 5_000; n += 1) file.view(`once-${n}`);
    expect(file.reads).toBeGreaterThan(9_700);
  });
});
