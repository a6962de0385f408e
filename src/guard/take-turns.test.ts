import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeTurns } from './take-turns.ts';

const never = new Promise<never>(() => {});

async function* listed<T>(...values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const value of source) taken.push(value);
  return taken;
}

async function first<T>(most: number, source: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const value of source) {
    taken.push(value);
    if (taken.length === most) break;
  }
  return taken;
}

/** A source without end that tells how often it was asked, and when it has ended. */
function endless(name: string) {
  let hasEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve;
  });
  const told = { asked: 0, ended };
  const source = async function* () {
    try {
      for (;;) {
        told.asked += 1;
        yield name;
      }
    } finally {
      hasEnded();
    }
  };
  return { told, source: source() };
}

describe('sources that take turns', () => {
  it('give one each, as long as they have some', async () => {
    const turns = takeTurns([endless('a').source, listed('b', 'b'), endless('c').source]);
    const taken = (await first(10, turns)).join('');
    expect([taken.slice(0, 3), taken.slice(3, 6)].map((round) => [...round].sort().join(''))).toEqual([
      'abc',
      'abc',
    ]);
    expect(taken.slice(6)).toMatch(/^(ac){2}$|^(ca){2}$/);
  });

  it('give all that they have, each in its own order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.nat())), async (lists) => {
        const taken = await all(
          takeTurns(lists.map((list, source) => listed(...list.map((value) => ({ source, value }))))),
        );
        expect(
          lists.map((_, source) => taken.filter((one) => one.source === source).map(({ value }) => value)),
        ).toEqual(lists);
        expect(taken).toHaveLength(lists.flat().length);
      }),
    );
  });

  it('do not wait for one that finds nothing for long', async () => {
    const slow = async function* () {
      yield 'slow';
      yield await never;
    };
    expect(await first(5, takeTurns([slow(), endless('fast').source]))).toEqual([
      'slow',
      ...Array.from({ length: 4 }, () => 'fast'),
    ]);
  });

  it('are asked for one ahead and no more, and end with whoever reads', async () => {
    const [a, b] = [endless('a'), endless('b')];
    await first(6, takeTurns([a.source, b.source]));
    await Promise.all([a.told.ended, b.told.ended]);
    expect(a.told.asked + b.told.asked).toBeLessThanOrEqual(6 + 2);
  });

  it('fail with the first of them, and the others end', async () => {
    const other = endless('other');
    const broken = async function* () {
      yield 'broken';
      throw new Error('the store is away');
    };
    await expect(all(takeTurns([other.source, broken()]))).rejects.toThrow('the store is away');
    await other.told.ended;
  });
});
