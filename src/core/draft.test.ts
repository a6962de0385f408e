import { describe, expect, it } from 'vitest';
import { open, write } from './draft.ts';
import { agentKind } from './record-kinds.ts';
import type { Key, Records, Retention, StoredRecord } from './records.ts';
import { cleanStanding, type Standing } from './standing.ts';
import type { AgentRecord } from './state.ts';

const keepMs = 1_000;
const key: Key<AgentRecord> = { text: 'portcullis:live:login:1:K2:{aa}:bb', was: null };
const recordAt = (at: number, standing: Partial<Standing> = {}): AgentRecord => ({
  ...agentKind.make(),
  at,
  standing: { ...cleanStanding, ...standing },
});

/** A store of one record, and what was put into it last. */
function storeOf(record: AgentRecord | undefined, isOwn = false) {
  const puts: { value: StoredRecord; retention: Retention }[] = [];
  const get = <R extends StoredRecord>(): R | undefined =>
    record as StoredRecord | undefined as R | undefined;
  const records: Records = {
    get,
    ...(isOwn && { own: get as NonNullable<Records['own']> }),
    put: (_, value, retention) => puts.push({ value: structuredClone(value), retention }),
  };
  return { records, puts };
}

describe('open', () => {
  it('gives a copy: what was got is never changed', () => {
    const stored = recordAt(500);
    const opened = open(storeOf(stored).records, key, agentKind, 600, keepMs);
    expect([opened.holder, opened.made, opened.now, opened.scope, opened.own]).toEqual([
      stored,
      false,
      600,
      'K2',
      true,
    ]);
    expect(opened.holder).not.toBe(stored);
  });

  it('gives the record itself where the store lets the step own it', () => {
    const stored = recordAt(500);
    expect(open(storeOf(stored, true).records, key, agentKind, 600, keepMs).holder).toBe(stored);
  });

  it('never runs backwards: the time inside the record is that of its last write at least', () => {
    expect(open(storeOf(recordAt(500)).records, key, agentKind, 400, keepMs).now).toBe(500);
  });

  it.each([
    ['there is none', undefined, 700],
    ['it has expired', recordAt(500, { score: 7 }), 1_500],
  ])('makes a new one where %s', (_, stored, t) => {
    for (const isOwn of [false, true]) {
      const opened = open(storeOf(stored, isOwn).records, key, agentKind, t, keepMs);
      expect([opened.holder, opened.made, opened.now]).toEqual([agentKind.make(), true, t]);
    }
  });

  it('keeps one that expires a millisecond later', () => {
    expect(open(storeOf(recordAt(500, { score: 7 })).records, key, agentKind, 1_499, keepMs).made).toBe(
      false,
    );
  });
});

describe('write', () => {
  /** Writes the record at `t`; what it was stored as. */
  function written(record: AgentRecord, t: number, parts: readonly Standing[] = []) {
    const { records, puts } = storeOf(record);
    const opened = open(records, key, agentKind, t, keepMs);
    write(
      records,
      opened,
      t,
      keepMs,
      parts.map((standing) => ({ standing })),
    );
    expect(puts.length).toBe(1);
    return { at: puts[0]?.value.at, ...puts[0]?.retention };
  }

  it('notes the time and keeps the record from then on', () => {
    expect(written(recordAt(500), 600)).toEqual({ at: 600, keepMs, softMs: 0, hardMs: 0 });
  });

  it('counts from the time inside the record where that is ahead', () => {
    expect(written(recordAt(500), 400)).toEqual({ at: 500, keepMs: keepMs + 100, softMs: 0, hardMs: 0 });
  });

  it('tells for how long its blocks still run', () => {
    expect(written(recordAt(500, { softUntil: 650, hardUntil: 690 }), 600)).toMatchObject({
      softMs: 50,
      hardMs: 90,
    });
  });

  it('tells the longest block of the record and of the parts it holds', () => {
    const record = recordAt(500, { softUntil: 650, hardUntil: 690 });
    const part = (softUntil: number, hardUntil: number) => ({ ...cleanStanding, softUntil, hardUntil });
    expect(written(record, 600, [part(640, 800), part(660, 700)])).toMatchObject({ softMs: 60, hardMs: 200 });
    expect(written(record, 600, [part(700, 610), part(0, 0)])).toMatchObject({ softMs: 100, hardMs: 90 });
  });
});
