import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closesSecondCycle, MAX_VISITS, visits } from './hops.ts';

const [a, b, c] = ['a@1', 'b@1', 'c@1'];

describe('a hop path', () => {
  it('may come back once: that is a callback', () => {
    expect(closesSecondCycle([a, b], a)).toBe(false);
    expect(closesSecondCycle([a, b, a], b)).toBe(false);
  });

  it('may not close the second cycle', () => {
    expect(closesSecondCycle([a, b, a, b], a)).toBe(true);
    expect(closesSecondCycle([a, b, c, a, b, c], a)).toBe(true);
    expect(closesSecondCycle([a, a], a)).toBe(true);
  });

  it('may not close it over another way round either', () => {
    expect(closesSecondCycle([a, b, c, a, c, b], a)).toBe(true);
  });

  it('takes another major version for another service', () => {
    expect(closesSecondCycle([a, b, a, b], 'a@2')).toBe(false);
  });

  it('always ends, whatever the services do', () => {
    const services = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(services, fc.infiniteStream(fc.nat()), (count, choices) => {
        const path: string[] = [];
        for (const choice of choices) {
          const next = `s${choice % count}@1`;
          if (closesSecondCycle(path, next)) break;
          path.push(next);
        }
        expect(path.length).toBeLessThanOrEqual(count * MAX_VISITS);
        for (const hop of path) expect(visits(path, hop)).toBeLessThanOrEqual(MAX_VISITS);
      }),
    );
  });
});
