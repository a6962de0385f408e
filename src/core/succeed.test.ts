import { describe, expect, it } from 'vitest';
import { makeBudget } from './budget.ts';
import { DAY_MS, HOUR_MS } from './duration.ts';
import { Keyspace } from './keys.ts';
import { defaultLogin } from './policy.ts';
import { accountKind } from './record-kinds.ts';
import type { Key, Records, Retention, StoredRecord } from './records.ts';
import { openRequest } from './request.ts';
import { cleanStanding } from './standing.ts';
import type { AccountRecord, BookRecord } from './state.ts';
import type { Confidence } from './subject.ts';
import { succeed } from './succeed.ts';
import { makeWatchedWindow, watchedWindow } from './watch.ts';

const t = 10 * HOUR_MS;
const token = (hash: string, was: string | null = null) => ({ hash, was });

/** What a success of alice with her laptop, which was `old` before a rotation, leaves in the store. */
function leftBy(before: { account?: AccountRecord; book?: BookRecord }, confidence: Confidence = 'MEDIUM') {
  const request = openRequest(defaultLogin, new Keyspace('live', 'login'), {
    account: token('alice'),
    network: token('home'),
    agent: token('chrome'),
    otherAgent: token('other'),
    device: { token: token('laptop', 'old'), confidence },
    macros: null,
  });
  const { account, book } = request.keys;
  const stored = new Map<string | undefined, StoredRecord | undefined>([
    [account?.text, before.account],
    [book?.text, before.book],
  ]);
  const retentions = new Map<string | undefined, Retention>();
  const records: Records = {
    get: <R extends StoredRecord>({ text }: Key<R>) => stored.get(text) as R | undefined,
    put: (key, value, retention) => {
      stored.set(key.text, structuredClone(value));
      retentions.set(key.text, retention);
    },
  };
  const course = succeed(request).look(records, t);
  expect(course.decide(course.steps.flatMap((step) => step.run(records).reasons)).outcome).toBe('ALLOW');
  return {
    account: stored.get(account?.text) as AccountRecord | undefined,
    book: stored.get(book?.text),
    bookRetention: retentions.get(book?.text),
  };
}

describe('succeed (§4.3)', () => {
  it('keeps the book for 90 days from the time inside it, without a block', () => {
    expect(leftBy({})).toMatchObject({
      book: { at: t, devices: [{ id: 'laptop', bound: false, usedAt: t }] },
      bookRetention: { keepMs: 90 * DAY_MS, softMs: 0, hardMs: 0 },
    });
    expect(leftBy({ book: { at: t + 500, devices: [] } }).bookRetention?.keepMs).toBe(90 * DAY_MS + 500);
  });

  it('enters no passive fingerprint into the book, and pardons none', () => {
    const device = { id: 'laptop', standing: { ...cleanStanding, score: 3 }, failures: [t] };
    const { book, account } = leftBy({ account: { ...accountKind.make(), at: t, devices: [device] } }, 'LOW');
    expect([book, account?.devices]).toEqual([undefined, [device]]);
  });

  it('pardons the device: its score and SOFT end, and it goes by its new name; the account’s score stays', () => {
    const standing = { ...cleanStanding, score: 6, scoreAt: t, softLevel: 1, softUntil: t + 900, memory: 2 };
    const devices = [{ id: 'old', standing, failures: [t] }];
    const { account } = leftBy({ account: { ...accountKind.make(), at: t, standing, devices } });
    expect(account?.devices).toEqual([
      { id: 'laptop', standing: { ...standing, score: 0, softLevel: 0, softUntil: t }, failures: [t] },
    ]);
    expect(account?.standing).toEqual(standing);
  });

  it('has a budget whose epoch has ended start anew, and leaves one that runs as it is (§7)', () => {
    const { epochMs } = defaultLogin.budget;
    const budgetAfter = (epochStart: number) => {
      const budget = { ...makeBudget(), epochStart, cooldownUntil: 5, softUntil: 7, guarded: true };
      return leftBy({ account: { ...accountKind.make(), at: t, budget } }).account?.budget;
    };
    expect(budgetAfter(t - epochMs)).toEqual(makeBudget());
    expect(budgetAfter(t - epochMs + 1)).toMatchObject({ epochStart: t - epochMs + 1, guarded: true });
  });

  it('lets flood observe a device that is not known, and no other', () => {
    const known = { at: t, devices: [{ id: 'laptop', bound: false, usedAt: 1 }] };
    expect(leftBy({}).account?.flood).toEqual(watchedWindow([{ id: 'laptop', at: t }], null));
    expect(leftBy({ book: known }).account?.flood).toEqual(makeWatchedWindow());
  });
});
