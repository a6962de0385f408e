import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SeenLately } from './seen-lately.ts';

describe('SeenLately', () => {
  test('holds what a list of all that was seen would still hold', () => {
    const bounds = { maxNames: 4, maxAgeMs: 100 };
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const action = fc.record({ kind: fc.constantFrom('see', 'forget'), name, afterMs: fc.nat(60) });
    fc.assert(
      fc.property(fc.array(action), (actions) => {
        let nowMs = 0;
        let model: { name: string; value: number; atMs: number }[] = [];
        const recent = new SeenLately<number>(bounds, () => nowMs);
        for (const [value, { kind, name, afterMs }] of actions.entries()) {
          nowMs += afterMs;
          model = model.filter((seen) => seen.name !== name);
          if (kind === 'see') {
            recent.remember(name, value);
            model = [...model, { name, value, atMs: nowMs }].slice(-bounds.maxNames);
          } else recent.forget([name]);
          const young = model.filter((seen) => nowMs - seen.atMs <= bounds.maxAgeMs);
          for (const each of ['a', 'b', 'c', 'd', 'e', 'f']) {
            expect(recent.recall(each)).toBe(young.find((seen) => seen.name === each)?.value);
          }
          const names = young.map((seen) => seen.name);
          expect(recent.recallAll(names)).toEqual(new Map(young.map((seen) => [seen.name, seen.value])));
          expect(recent.recallAll([...names, 'never'])).toBeNull();
        }
      }),
    );
  });
});
