import { MINUTE_MS } from '../../../core/duration.ts';
import type { StoredRecord } from '../../../core/records.ts';
import type { Holder } from '../../../core/standing.ts';
import type { BookRecord } from '../../../core/state.ts';
import { type Guarantee, ofChanges } from './guarantee.ts';

/** One point is forgotten per interval at the fastest. */
const decayMs: Readonly<Record<string, number>> = {
  K4: 10 * MINUTE_MS,
  K1: 3 * MINUTE_MS,
  K2: 3 * MINUTE_MS,
};

export const timeRunsForward = ofChanges(
  'time-runs-forward-in-a-record',
  'A record is never written with an earlier time than it has.',
  ({ kind, before, after }) =>
    before !== undefined && after.at < before.at ? `${kind} went back by ${before.at - after.at} ms` : null,
);

/** Changing the device, succeeding or waiting a little never washes an account or a network clean. */
export const scoresOnlyDecay = ofChanges(
  'scores-are-forgotten-no-faster-than-they-decay',
  'The score of an account, a network or an agent falls by decay alone, and its level memory stays.',
  ({ kind, before, after }) => {
    const interval = decayMs[kind];
    if (interval === undefined || before === undefined) return null;
    const { standing: was } = before as StoredRecord & Holder;
    const { standing: is, at } = after as StoredRecord & Holder;
    const steps = Math.max(0, Math.floor((at - was.scoreAt) / interval));
    if (is.score < was.score - steps) return `the score of ${kind} fell from ${was.score} to ${is.score}`;
    if (is.hardUntil === was.hardUntil && is.memory !== was.memory) return `${kind} forgot its level`;
    return is.memory < is.hardLevel && is.hardUntil > at
      ? `${kind} remembers less than the block it is in`
      : null;
  },
);

export const bookIsWrittenBySuccess: Guarantee = {
  name: 'trust-comes-from-success-only',
  says: 'Only a success writes the device book; HIGH alone binds, and nothing unbinds.',
  watch: (_, violate) => ({
    committed: ({ op, subject }, changes) => {
      for (const { kind, before, after } of changes) {
        if (kind !== 'book') continue;
        if (op !== 'succeed') violate(`${op} wrote the book`);
        const was = (before as BookRecord | undefined)?.devices ?? [];
        for (const { id, bound } of (after as BookRecord).devices) {
          const old = was.find((entry) => entry.id === id);
          if (old?.bound === true && !bound) violate('a device was unbound');
          const isShown = subject.device?.token.hash === id && subject.device.confidence === 'HIGH';
          if (bound && old?.bound !== true && !isShown) violate('a device was bound without HIGH');
        }
      }
    },
  }),
};

export const checkWritesNothing: Guarantee = {
  name: 'check-writes-nothing',
  says: 'check changes no record.',
  watch: (_, violate) => ({
    committed: ({ op }) => {
      if (op === 'check') violate('check has written');
    },
  }),
};

export const everythingCountsOnce: Guarantee = {
  name: 'an-operation-counts-once',
  says: 'However messages are lost, doubled or late, an operation changes a record at most once.',
  watch: (_, violate) => {
    const written = new Map<number, Set<string>>();
    return {
      committed: ({ id, op }, changes) => {
        const texts = written.get(id) ?? new Set();
        written.set(id, texts);
        for (const { text, kind, policy } of changes) {
          // A remote effect may block a network or prefix that the same failure has counted on.
          const isOnce = policy === 'api' || kind === 'K4' || kind === 'D' || kind === 'book';
          if (isOnce && texts.has(text)) violate(`${op} wrote ${kind} twice`);
          texts.add(text);
        }
      },
    };
  },
};
