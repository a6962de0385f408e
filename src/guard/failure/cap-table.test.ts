import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CapTable } from './cap-table.ts';

const cap = { scope: 'K4', count: 3, windowMs: 100 } as const;

/** Counts an attempt if there is room for it, and says whether there was. */
function attempt(table: CapTable, subject: string, now: number): boolean {
  const hasRoom = table.hasRoom(subject, now);
  if (hasRoom) table.count(subject, now);
  return hasRoom;
}

describe('a cap table', () => {
  test('admits three within the window, each subject on its own', () => {
    const table = new CapTable(cap, 4096);
    expect([0, 1, 2, 3].map((now) => attempt(table, 'a', now))).toEqual([true, true, true, false]);
    expect(attempt(table, 'b', 3)).toBe(true);
  });

  test('slides: an attempt counts for exactly one window', () => {
    const table = new CapTable(cap, 4096);
    for (const now of [0, 10, 20]) attempt(table, 'a', now);
    expect(attempt(table, 'a', 99)).toBe(false);
    expect(attempt(table, 'a', 100)).toBe(true);
    expect(attempt(table, 'a', 109)).toBe(false);
    expect(attempt(table, 'a', 110)).toBe(true);
  });

  test('counts nothing when it is only asked', () => {
    const table = new CapTable(cap, 4096);
    for (let now = 0; now < 50; now += 1) expect(table.hasRoom('a', now)).toBe(true);
  });

  test('gives room again for exactly the attempt that is taken back', () => {
    const table = new CapTable(cap, 4096);
    for (const now of [0, 10, 20]) attempt(table, 'a', now);
    table.takeBack('a', 10);
    expect([attempt(table, 'a', 30), attempt(table, 'a', 31)]).toEqual([true, false]);
    expect([attempt(table, 'a', 100), attempt(table, 'a', 119)]).toEqual([true, false]);
    table.takeBack('a', 50);
    table.takeBack('b', 100);
    expect(attempt(table, 'a', 119)).toBe(false);
  });

  test('has the place and the share of what is taken back for others', () => {
    const table = new CapTable(cap, 1);
    attempt(table, 'a', 0);
    for (const subject of ['b', 'c', 'd']) attempt(table, subject, 1);
    table.takeBack('c', 1);
    expect([attempt(table, 'e', 2), attempt(table, 'f', 2)]).toEqual([true, false]);
    for (const at of [1, 1, 2]) table.takeBack('e', at);
    table.takeBack('a', 0);
    expect([3, 3, 3, 3].map((now) => attempt(table, 'g', now))).toEqual([true, true, true, false]);
  });

  test('lets all further subjects share one window once its places are taken', () => {
    const table = new CapTable(cap, 2);
    attempt(table, 'a', 0);
    attempt(table, 'b', 0);
    expect(['c', 'd', 'e', 'f', 'c'].map((subject) => attempt(table, subject, 1))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(attempt(table, 'a', 1)).toBe(true);
  });

  test('gives places anew when everything has grown old', () => {
    const table = new CapTable(cap, 2);
    for (const subject of ['a', 'b', 'c', 'd', 'e']) attempt(table, subject, 0);
    expect(attempt(table, 'f', 50)).toBe(false);
    for (const subject of ['f', 'g']) {
      for (let round = 0; round < 3; round += 1) expect(attempt(table, subject, 100)).toBe(true);
    }
  });

  test('never admits more than the cap of one subject within any window, however few its places', () => {
    const step = fc.record({
      subject: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      afterMs: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 5 }), (steps, places) => {
        const table = new CapTable(cap, places);
        const admitted = new Map<string, number[]>();
        let now = 0;
        for (const { subject, afterMs } of steps) {
          now += afterMs;
          if (!attempt(table, subject, now)) continue;
          const times = [...(admitted.get(subject) ?? []), now];
          admitted.set(subject, times);
          expect(times.filter((at) => at > now - cap.windowMs).length).toBeLessThanOrEqual(cap.count);
        }
      }),
    );
  });

  test('with attempts taken back admits as if those had never been, where all have a place', () => {
    const step = fc.record({
      subject: fc.constantFrom('a', 'b', 'c'),
      afterMs: fc.integer({ min: 0, max: 60 }),
      isLost: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const table = new CapTable(cap, 3);
        const kept = new Map<string, number[]>();
        let now = 0;
        for (const { subject, afterMs, isLost } of steps) {
          now += afterMs;
          const times = (kept.get(subject) ?? []).filter((at) => at > now - cap.windowMs);
          const isAdmitted = attempt(table, subject, now);
          expect(isAdmitted).toBe(times.length < cap.count);
          if (isAdmitted && isLost) table.takeBack(subject, now);
          kept.set(subject, isAdmitted && !isLost ? [...times, now] : times);
        }
      }),
    );
  });

  test('refuses nobody who has a place and has not used up the cap', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 100 });
    fc.assert(
      fc.property(times, (gaps) => {
        const table = new CapTable(cap, 1);
        const admitted: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const used = admitted.filter((at) => at > now - cap.windowMs).length;
          expect(attempt(table, 'a', now)).toBe(used < cap.count);
          if (used < cap.count) admitted.push(now);
        }
      }),
    );
  });
});
