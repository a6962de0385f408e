import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FeedLine, type Outcome, readFeedLine } from './feed-line.ts';
import { SHOWN_PER_BATCH, Tally } from './tally.ts';

const outcomes: readonly Outcome[] = ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK'];

function decision(seq: number, t: number, outcome: Outcome): FeedLine {
  const reasons = outcome === 'ALLOW' ? [] : [{ rule: 'score', scope: 'K4' }];
  const level = outcome === 'ALLOW' ? 0 : 2;
  return {
    seq,
    t,
    type: 'decision',
    decision: { outcome, level, until: 0, rule: null, scope: null, reasons },
  };
}

describe('a tally of the feed', () => {
  it('counts everything and shows at most what fits, whatever arrives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...outcomes), fc.integer({ min: 0, max: 9_999 })), {
          maxLength: 400,
        }),
        (events) => {
          const tally = new Tally();
          for (const [index, [outcome, t]] of events.entries()) tally.add(decision(index + 1, t, outcome));
          const batch = tally.take();
          const counted = batch.seconds.reduce((sum, { allow, soft, hard }) => sum + allow + soft + hard, 0);
          expect(counted).toBe(events.length);
          expect(batch.seconds.reduce((sum, { lines }) => sum + lines, 0)).toBe(events.length);
          expect(batch.shown.length).toBe(Math.min(events.length, SHOWN_PER_BATCH));
          expect(batch.unshown).toBe(Math.max(0, events.length - SHOWN_PER_BATCH));
          const denials = events.filter(([outcome]) => outcome !== 'ALLOW').length;
          const scored = batch.minutes.reduce((sum, { rules }) => sum + (rules.score ?? 0), 0);
          expect(scored).toBe(denials);
          expect(tally.take().received).toBe(0);
        },
      ),
    );
  });

  it('gives denials the room of what was allowed', () => {
    const tally = new Tally();
    for (let seq = 1; seq <= 500; seq += 1) tally.add(decision(seq, 0, 'ALLOW'));
    tally.add(decision(501, 0, 'HARD_BLOCK'));
    expect(tally.take().shown.at(-1)?.seq).toBe(501);
  });

  it.each(outcomes)('keeps the newest where all of them are %s', (outcome) => {
    const tally = new Tally();
    for (let seq = 1; seq <= 500; seq += 1) tally.add(decision(seq, 0, outcome));
    const newest = Array.from({ length: SHOWN_PER_BATCH }, (_, index) => 501 - SHOWN_PER_BATCH + index);
    expect(tally.take().shown.map(({ seq }) => seq)).toEqual(newest);
  });

  it('drops no denial for what was allowed', () => {
    const tally = new Tally();
    for (let seq = 1; seq <= SHOWN_PER_BATCH; seq += 1) tally.add(decision(seq, 0, 'SOFT_BLOCK'));
    tally.add(decision(SHOWN_PER_BATCH + 1, 0, 'ALLOW'));
    expect(tally.take().shown.at(-1)?.seq).toBe(SHOWN_PER_BATCH);
  });

  it('never samples away what is rare', () => {
    const tally = new Tally();
    for (let seq = 1; seq <= 5_000; seq += 1) tally.add(decision(seq, 0, 'ALLOW'));
    tally.add({ seq: 5_001, t: 0, type: 'mode', policy: 'login', from: 'NORMAL', to: 'DEGRADED' });
    expect(tally.take().notable.map(({ type }) => type)).toEqual(['mode']);
  });

  it('takes up what the service says it left out', () => {
    const tally = new Tally();
    tally.add({ seq: 1, t: 5_000, type: 'sampled', from: 4_000, hidden: { decision: 40, limit: 2 } });
    expect(tally.take().seconds).toEqual([
      { second: 4, lines: 0, allow: 0, soft: 0, hard: 0, withheld: 40, withheldLines: 42, topLevel: 0 },
    ]);
  });

  it('counts lines of every type in the second at which they happened', () => {
    const tally = new Tally();
    tally.add({ seq: 1, t: 4_200, type: 'block' });
    tally.add({ seq: 2, t: 4_900, type: 'limit' });
    tally.add(decision(3, 5_000, 'ALLOW'));
    expect(tally.take().seconds.map(({ second, lines }) => [second, lines])).toEqual([
      [4, 2],
      [5, 1],
    ]);
  });

  it('survives lines of any shape', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('decision', 'block', 'sampled', 'mode'), (json, type) => {
        const line = readFeedLine(json);
        const tally = new Tally();
        if (line !== null) tally.add(line);
        tally.add({ seq: 1, t: 0, type, decision: JSON.parse(json), hidden: JSON.parse(json) });
        expect(tally.take().received).toBe(line === null ? 1 : 2);
      }),
    );
  });
});
