import { describe, expect, it } from 'vitest';
import { chartColumns, emptyLive, KEPT_SECONDS, topNames, withBatch } from './live-state.ts';
import { type FeedBatch, Tally } from './tally.ts';

const nothing: FeedBatch = new Tally().take();
const second = (at: number, hard: number) => ({
  second: at,
  lines: 1 + hard,
  allow: 1,
  soft: 0,
  hard,
  withheld: 0,
  withheldLines: 0,
  topLevel: 3,
});

describe('what the page knows of the last minutes', () => {
  it('adds batches of the same second together and forgets what is old', () => {
    const now = 2_000_000_000;
    const batch = { ...nothing, received: 2, seconds: [second(2_000_000, 2)] };
    const once = withBatch(emptyLive, batch, now);
    const twice = withBatch(once, batch, now);
    expect(twice.seconds).toEqual([{ ...second(2_000_000, 4), lines: 6, allow: 2 }]);
    expect(twice.received).toBe(4);
    const later = withBatch(twice, nothing, now + (KEPT_SECONDS + 1) * 1_000);
    expect(later.seconds).toEqual([]);
  });

  it('keeps the newest lines first, and no more than fit', () => {
    let state = emptyLive;
    for (let turn = 0; turn < 10; turn += 1) {
      const shown = Array.from({ length: 40 }, (_, index) => ({
        seq: turn * 40 + index + 1,
        t: 0,
        type: 'decision',
      }));
      state = withBatch(state, { ...nothing, received: 40, shown }, 0);
    }
    expect(state.lines.length).toBeLessThanOrEqual(120);
    expect(state.lines[0]?.seq).toBe(400);
    expect(state.lines.map(({ seq }) => seq)).toEqual(
      state.lines.map(({ seq }) => seq).toSorted((a, b) => b - a),
    );
  });

  it('says when it shows a sample, and stops saying so', () => {
    const crowd = { ...nothing, received: 900, unshown: 840 };
    const once = withBatch(emptyLive, crowd, 0);
    expect(once.pace.isSampled).toBe(false);
    const sampled = withBatch(once, crowd, 0);
    expect(sampled.pace.isSampled).toBe(true);
    expect(withBatch(sampled, nothing, 0).pace.isSampled).toBe(false);
  });

  it('says what the service left out, unless that is older than the chart', () => {
    const flooded = { ...nothing, received: 1, seconds: [{ ...second(1_000, 0), withheldLines: 5 }] };
    const opened = withBatch(emptyLive, flooded, (1_000 + KEPT_SECONDS) * 1_000);
    expect(opened.pace).toMatchObject({ isSampled: true, withheld: 5 });
    const later = withBatch(emptyLive, flooded, (1_001 + KEPT_SECONDS) * 1_000);
    expect(later.pace).toMatchObject({ isSampled: false, withheld: 0 });
  });

  it('goes by the time at which lines happened: a backlog is no present rush', () => {
    const now = 2_000_000_500;
    const backlog = {
      ...nothing,
      received: 1_024,
      seconds: [second(1_999_400, 999), second(1_999_998, 19), second(2_000_000, 3)],
    };
    const opened = withBatch(emptyLive, backlog, now);
    expect(opened.pace.perSecond).toBe(5);
    const busy = withBatch(opened, { ...nothing, received: 40, seconds: [second(2_000_000, 39)] }, now + 900);
    expect(busy.pace.perSecond).toBe(16);
    expect(withBatch(busy, nothing, now + 5_000).pace.perSecond).toBe(0);
  });

  it('counts what was left out of the feed into the pace, once it is told', () => {
    const flooded = (at: number, withheldLines: number) => ({ ...second(at, 199), withheldLines });
    const told = [100, 101, 102, 103].map((at) => flooded(at, 1_800));
    const batch = { ...nothing, received: 1_200, seconds: [...told, flooded(104, 0), flooded(105, 0)] };
    expect(withBatch(emptyLive, batch, 106_000).pace.perSecond).toBe(2_000);
  });

  it('ranks rules over the minutes that are kept', () => {
    const at = (minute: number, rules: Record<string, number>) => ({ minute, rules, scopes: {} });
    const batch = {
      ...nothing,
      received: 1,
      minutes: [at(100, { score: 2, spray: 1 }), at(80, { score: 50 })],
    };
    const state = withBatch(emptyLive, batch, 100 * 60_000);
    expect(topNames(state.minutes, 'rules')).toEqual([
      ['score', 2],
      ['spray', 1],
    ]);
  });
});

describe('a feed that has fallen silent', () => {
  const minutes = [{ minute: 100, rules: { score: 2 }, scopes: { K4: 2 } }];
  const busy = withBatch(emptyLive, { ...nothing, received: 1, minutes }, 100 * 60_000);

  it('leaves no rule behind when its minutes are over', () => {
    const later = withBatch(busy, nothing, 115 * 60_000);
    expect(topNames(later.minutes, 'rules')).toEqual([]);
    expect(topNames(later.minutes, 'scopes')).toEqual([]);
  });

  it('does not have views drawn again for nothing', () => {
    expect(withBatch(busy, nothing, 114 * 60_000).minutes).toBe(busy.minutes);
  });
});

describe('the columns of the chart', () => {
  it('fill every bin of the span, empty ones too, and hold every count inside of it', () => {
    const columns = chartColumns([second(90, 1), second(99, 5), second(40, 9)], 100_000, 20, 5);
    expect(columns.times).toEqual([85, 90, 95, 100]);
    expect(columns.hard).toEqual([0, 1, 5, 0]);
    expect(columns.topLevel).toEqual([null, 3, 3, null]);
  });
});
