import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HealthReport } from '../svc-client/health-report.ts';
import { MOST_REPORTERS, TargetBook } from './target-book.ts';

const reportOf = (name: string, changes: Partial<HealthReport> = {}): HealthReport => ({
  name,
  everyMs: 1_000,
  globalBreaker: 'closed',
  loops: 0,
  droppedPassports: 0,
  targets: [],
  leftOut: 0,
  ...changes,
});

const loopOf = (requestId: string) => ({ requestId, hops: ['a@1', 'b@1', 'a@1'], agoMs: 5 });

const target = (breaker: 'closed' | 'open' | 'half-open') => ({
  target: 'stock@1',
  breaker,
  probeInMs: 0,
  pinnedForMs: 0,
  calls: 1,
  attempts: 1,
  retries: 0,
  failures: 0,
  denied: {},
});

describe('the book of targets', () => {
  it('tells nothing anew that a reporter still knows from before the service had heard of it', () => {
    const told: string[] = [];
    const book = new TargetBook(
      () => 0,
      (_, { requestId }) => told.push(requestId),
    );
    const old = { ...loopOf('r-1'), agoMs: 60_000 };
    book.take(null, reportOf('a', { loops: 2, recentLoops: [old, loopOf('r-2')] }));
    expect(told).toEqual(['r-2']);
  });

  it('tells of each loop once, also of a reporter that was started anew', () => {
    const told: string[] = [];
    const book = new TargetBook(
      () => 0,
      (reporter, { requestId }) => told.push(`${reporter} ${requestId}`),
    );
    const report = (name: string, loops: number, ...ids: string[]) =>
      book.take(null, reportOf(name, { loops, recentLoops: ids.map(loopOf) }));
    report('a', 1, 'r1');
    report('a', 1, 'r1');
    report('b', 0);
    report('a', 3, 'r1', 'r2', 'r3');
    report('a', 40, 'r38', 'r39', 'r40');
    report('a', 1, 'r41');
    book.take(null, reportOf('a', { loops: 2 }));
    expect(told).toEqual(['a r1', 'a r2', 'a r3', 'a r38', 'a r39', 'a r40', 'a r41']);
  });

  it('counts what each report adds, all loops and not only those that it names', () => {
    const sum = { loops: 0, droppedPassports: 0 };
    const book = new TargetBook(
      () => 0,
      undefined,
      ({ loops, droppedPassports }) => {
        sum.loops += loops;
        sum.droppedPassports += droppedPassports;
      },
    );
    const sumAfter = (changes: Partial<HealthReport>) => {
      book.take(null, reportOf('a', changes));
      return [sum.loops, sum.droppedPassports];
    };
    const before = { ...loopOf('r1'), agoMs: 60_000 };
    expect(sumAfter({ loops: 2, recentLoops: [before, loopOf('r2')], droppedPassports: 7 })).toEqual([1, 0]);
    expect(sumAfter({ loops: 2, recentLoops: [before, loopOf('r2')], droppedPassports: 9 })).toEqual([1, 2]);
    expect(sumAfter({ loops: 42, recentLoops: [loopOf('r42')], droppedPassports: 9 })).toEqual([41, 2]);
    // Started anew.
    expect(sumAfter({ loops: 1, recentLoops: [loopOf('r43')], droppedPassports: 3 })).toEqual([42, 5]);
  });

  it('keeps the last report of each reporter, says how old it is, and forgets who has gone', () => {
    let now = 0;
    const book = new TargetBook(() => now);
    expect(book.take('app', reportOf('orders', { targets: [target('open')] }))).toBe(true);
    now = 400;
    book.take('app', reportOf('cart', { targets: [target('closed'), target('half-open')] }));
    expect(book.reporters().map(({ name, ageMs, expiresInMs }) => [name, ageMs, expiresInMs])).toEqual([
      ['cart', 0, 3_000],
      ['orders', 400, 2_600],
    ]);
    expect(book.counts()).toEqual({ reporters: 2, breakers: { closed: 1, open: 1, 'half-open': 1 } });
    book.take('app', reportOf('orders', { targets: [target('closed')] }));
    expect(book.counts().breakers).toEqual({ closed: 2, open: 0, 'half-open': 1 });
    now = 3_400;
    expect(book.reporters()).toEqual([]);
    expect(book.counts()).toEqual({ reporters: 0, breakers: { closed: 0, open: 0, 'half-open': 0 } });
  });

  it('does not let one token speak in the name of another', () => {
    const book = new TargetBook(() => 0);
    book.take('one', reportOf('orders', { loops: 1 }));
    book.take('two', reportOf('orders', { loops: 2 }));
    expect(book.reporters().map(({ loops }) => loops)).toEqual([1, 2]);
  });

  it('never holds more than so many, and takes others again when one has gone', () => {
    const reports = fc.array(
      fc.record({ name: fc.integer({ min: 0, max: 200 }), afterMs: fc.integer({ min: 0, max: 200 }) }),
      { maxLength: 400 },
    );
    fc.assert(
      fc.property(reports, (sent) => {
        let now = 0;
        const book = new TargetBook(() => now);
        for (const { name, afterMs } of sent) {
          now += afterMs;
          const before = book.reporters().map((reporter) => reporter.name);
          const taken = book.take(null, reportOf(`r${name}`));
          expect(taken).toBe(before.includes(`r${name}`) || before.length < MOST_REPORTERS);
          expect(book.reporters().length).toBeLessThanOrEqual(MOST_REPORTERS);
        }
      }),
      { numRuns: 30 },
    );
  });
});
