import type { Decision } from '../../src/core/decision.ts';
import { silence } from '../../src/core/operation.ts';
import type { CredentialPolicy, Policy } from '../../src/core/policy.ts';
import type { Key, Records, StoredRecord } from '../../src/core/records.ts';
import type { Request } from '../../src/core/request.ts';
import type { Holder } from '../../src/core/standing.ts';
import type { AccountRecord, BookRecord, NetworkRecord } from '../../src/core/state.ts';
import type { OperationName } from '../../src/guard/engine.ts';
import { CapTable } from '../../src/guard/failure/cap-table.ts';
import { DegradedCaps, type LocalCaps } from '../../src/guard/failure/degraded-caps.ts';
import type { FailureSettings } from '../../src/guard/failure/failure-options.ts';
import type { BreakerPolicy, DegradedCap } from '../../src/guard/failure/failure-policy.ts';
import type { Guard } from '../../src/guard/guard.ts';
import type { Store } from '../../src/stores/store.ts';
import type { Tampering } from '../../src/testing/index.ts';

/** One deliberate fault, put into a simulated world from outside, and the guarantees that must each notice it. */
export interface Breakage {
  readonly name: string;
  readonly tampering: Tampering;
  readonly breaks: readonly string[];
}

const MINUTE_MS = 60_000;

const breaker = (numbers: Partial<BreakerPolicy>): Tampering => ({
  failure: (settings) => ({ ...settings, breaker: { ...settings.breaker, ...numbers } }),
});

const caps = (change: (cap: DegradedCap, policy: Policy) => DegradedCap): Tampering => ({
  failure: (settings) => ({
    ...settings,
    capsOf: (policy) => settings.capsOf(policy).map((cap) => change(cap, policy)),
  }),
});

const localCaps = (open: (caps: readonly DegradedCap[]) => LocalCaps): Tampering => ({
  failure: (settings: FailureSettings) => ({ ...settings, openCaps: open }),
});

const credentialPolicies = (change: (policy: CredentialPolicy) => CredentialPolicy): Tampering => ({
  policies: (policies) => policies.map((policy) => (policy.kind === 'credential' ? change(policy) : policy)),
});

/** A guard whose decisions are changed on their way to the host. */
const decisions = (change: (op: OperationName, decision: Decision) => Decision): Tampering => ({
  guard: (guard) => ({
    ...guard,
    check: async (...args) => change('check', await guard.check(...args)),
    fail: async (...args) => change('fail', await guard.fail(...args)),
    succeed: async (...args) => change('succeed', await guard.succeed(...args)),
    consume: async (...args) => change('consume', await guard.consume(...args)),
  }),
});

type AnyStep = <T>(step: (records: Records, now: number) => T, keys: readonly Key[]) => typeof step;

/** A store that runs looks and steps in another way. */
const store = (work: { look?: AnyStep; step?: AnyStep }): Tampering => ({
  store: (inner) => ({
    ...bound(inner),
    view: (keys, look) => inner.view(keys, work.look?.(look, keys) ?? look),
    transact: (keys, step) => inner.transact(keys, work.step?.(step, keys) ?? step),
  }),
});

function bound(inner: Store): Store {
  return {
    view: (keys, look) => inner.view(keys, look),
    transact: (keys, step) => inner.transact(keys, step),
    ping: () => inner.ping(),
    held: (prefix, signal) => inner.held(prefix, signal),
    close: () => inner.close(),
  };
}

/** Steps whose puts are changed on their way to the server. */
const puts = (
  change: (
    key: Key,
    value: StoredRecord,
    keys: readonly Key[],
    before: StoredRecord | undefined,
  ) => StoredRecord,
): Tampering =>
  store({
    step: (step, keys) => (records, now) =>
      step(
        {
          get: (key) => records.get(key),
          put: (key, value, retention) =>
            records.put(key, change(key, value, keys, records.get(key)) as typeof value, retention),
        },
        now,
      ),
  });

const isKind = ({ text }: Key, kind: string): boolean => text.split(':')[4] === kind;

/** A success makes a clean slate of the caps. */
class ForgivingCaps implements LocalCaps {
  readonly #caps: readonly DegradedCap[];
  #inner: LocalCaps;

  constructor(policyCaps: readonly DegradedCap[]) {
    this.#caps = policyCaps;
    this.#inner = new DegradedCaps(policyCaps);
  }

  judge(op: OperationName, request: Request, now: number) {
    const verdict = this.#inner.judge(op, request, now);
    if (op === 'succeed') this.#inner = new DegradedCaps(this.#caps);
    return verdict;
  }

  endEpoch(): void {
    this.#inner.endEpoch();
  }
}

/** Caps that treat some operations in another way. */
function capsThat(
  judge: (inner: LocalCaps, ...args: Parameters<LocalCaps['judge']>) => ReturnType<LocalCaps['judge']>,
) {
  return localCaps((policyCaps) => {
    const inner = new DegradedCaps(policyCaps);
    return {
      judge: (op, request, now) => judge(inner, op, request, now),
      endEpoch: () => inner.endEpoch(),
    };
  });
}

/** Attempts that were refused count as well: an attacker keeps an owner out for ever. */
class GreedyCaps implements LocalCaps {
  readonly #tables: readonly CapTable[];

  constructor(policyCaps: readonly DegradedCap[]) {
    this.#tables = policyCaps.map((cap) => new CapTable(cap, 4096));
  }

  judge(op: OperationName, { subject }: Request, now: number) {
    if (op === 'fail' || op === 'succeed') return { over: [], counted: false };
    const key = { K4: subject.account?.hash ?? '', K1: subject.network.hash, K2: subject.agent.hash };
    const over = this.#tables.filter((table) => !table.hasRoom(key[table.cap.scope], now));
    for (const table of this.#tables) table.count(key[table.cap.scope], now);
    return { over: over.map(({ cap }) => cap.scope), counted: true };
  }

  endEpoch(): void {}
}

/** A SOFT that `check` has shown stops the success that comes after it. */
function softStopsSuccess(guard: Guard): Guard {
  const shown = new Map<unknown, Decision>();
  return {
    ...guard,
    check: async (request, time) => {
      const decision = await guard.check(request, time);
      if (decision.outcome === 'SOFT_BLOCK') shown.set(request.account, decision);
      return decision;
    },
    succeed: async (request, time) => {
      const decision = await guard.succeed(request, time);
      return decision.mode === 'NORMAL' ? (shown.get(request.account) ?? decision) : decision;
    },
  };
}

const allowed = {
  outcome: 'ALLOW',
  level: 0,
  until: 0,
  retryAfterMs: 0,
  rule: null,
  scope: null,
  reasons: [],
} as const;

/** Tells who was last asked about, with everything it tells. */
function indiscreet(guard: Guard): Guard {
  let who: string | null | undefined;
  return {
    ...guard,
    check: (request, time) => {
      who = request.account;
      return guard.check(request, time);
    },
    on: (name, listener) => guard.on(name, (event) => listener({ ...event, who })),
  };
}

/** Records without their HARD blocks. */
function unblocked(records: Records): Records {
  return {
    get: (key) => {
      const record = records.get(key);
      if (record === undefined || !('standing' in record)) return record;
      const { standing } = record as StoredRecord & Holder;
      return { ...record, standing: { ...standing, hardUntil: 0 } };
    },
    put: (key, value, retention) => records.put(key, value, retention),
  };
}

/** Puts a record back as it is, which changes nothing and costs a write. */
function touch(key: Key): (records: Records, now: number) => void {
  return (records) => {
    const record = records.get(key);
    if (record !== undefined) records.put(key, record, { keepMs: 60_000, softMs: 0, hardMs: 0 });
  };
}

export const breakages: readonly Breakage[] = [
  {
    name: 'the breaker trips after five failures',
    tampering: breaker({ tripFailures: 5 }),
    breaks: ['modes-follow-the-contract'],
  },
  {
    name: 'the breaker never trips',
    tampering: breaker({ tripFailures: 1_000_000 }),
    breaks: ['modes-follow-the-contract'],
  },
  {
    name: 'failures are counted for a minute',
    tampering: breaker({ tripWindowMs: MINUTE_MS }),
    breaks: ['modes-follow-the-contract'],
  },
  {
    name: 'the breaker closes after a minute',
    tampering: breaker({ minOpenMs: MINUTE_MS, healthyMs: 30_000 }),
    breaks: ['modes-follow-the-contract', 'degraded-at-most-twice-in-30-min'],
  },
  {
    name: 'one healthy probe is enough',
    tampering: breaker({ healthyMs: 1 }),
    breaks: ['modes-follow-the-contract'],
  },
  {
    name: 'nothing guards against re-entry',
    tampering: breaker({ shutAtEntry: 1_000 }),
    breaks: ['modes-follow-the-contract', 'degraded-at-most-twice-in-30-min'],
  },
  {
    name: 'a shut policy stays shut for an hour',
    tampering: breaker({ shutMs: 60 * MINUTE_MS }),
    breaks: ['modes-follow-the-contract', 'fail-closed-is-bounded'],
  },
  {
    name: 'the store may take ten seconds',
    tampering: { failure: (settings) => ({ ...settings, deadlineMs: 10_000 }) },
    breaks: ['every-operation-is-answered'],
  },
  {
    name: 'the store may take for ever',
    tampering: { failure: (settings) => ({ ...settings, deadlineMs: null }) },
    breaks: ['every-operation-is-answered'],
  },
  {
    name: 'the degraded caps are twice as wide',
    tampering: caps((cap) => ({ ...cap, count: 2 * cap.count })),
    breaks: ['degraded-caps-hold-on-every-node'],
  },
  {
    name: 'the degraded caps forget after a minute',
    tampering: caps((cap, { kind }) => (kind === 'credential' ? { ...cap, windowMs: MINUTE_MS } : cap)),
    breaks: ['degraded-caps-hold-on-every-node'],
  },
  {
    name: 'api fails open without guardrails',
    tampering: caps((cap, { kind }) => (kind === 'rate' ? { ...cap, count: 1_000_000 } : cap)),
    breaks: ['degraded-caps-hold-on-every-node'],
  },
  {
    name: 'a success resets the degraded caps',
    tampering: localCaps((policyCaps) => new ForgivingCaps(policyCaps)),
    breaks: ['degraded-caps-hold-on-every-node'],
  },
  {
    name: 'a fail without a check is free',
    tampering: capsThat((inner, op, request, now) =>
      op === 'fail' ? { over: [], counted: false } : inner.judge(op, request, now),
    ),
    breaks: ['degraded-caps-hold-on-every-node'],
  },
  {
    name: 'check and fail count one each',
    tampering: capsThat((inner, op, request, now) =>
      inner.judge(op === 'consume' ? op : 'check', request, now),
    ),
    breaks: ['degraded-caps-hold-on-every-node'],
  },
  {
    name: 'refused attempts use up the degraded caps',
    tampering: localCaps((policyCaps) => new GreedyCaps(policyCaps)),
    breaks: ['degraded-caps-hold-on-every-node'],
  },
  {
    name: 'a failure of the store is an ALLOW',
    tampering: decisions((_, decision) =>
      decision.mode === 'FAIL_CLOSED' ? { ...decision, ...allowed, mode: 'NORMAL' } : decision,
    ),
    breaks: ['no-silent-allow'],
  },
  {
    name: 'a degraded block is as long as any other',
    tampering: decisions((_, decision) =>
      decision.mode === 'DEGRADED' && decision.level > 0
        ? { ...decision, level: 3, reasons: decision.reasons.map((reason) => ({ ...reason, level: 3 })) }
        : decision,
    ),
    breaks: ['level-2-at-most-without-the-store'],
  },
  {
    name: 'SOFT blocks and budgets stop right credentials',
    tampering: { guard: softStopsSuccess },
    breaks: ['success-is-never-stopped-by-soft-or-budget'],
  },
  {
    name: 'succeed does not look for blocks',
    tampering: decisions((op, decision) =>
      op === 'succeed' && decision.mode === 'NORMAL' ? { ...decision, ...allowed } : decision,
    ),
    breaks: ['a-running-block-stops-whom-it-should-and-nobody-else'],
  },
  {
    name: 'a budget is not deferred',
    tampering: decisions((_, decision) => ({ ...decision, deferred: false })),
    breaks: ['only-budgets-are-deferred'],
  },
  {
    name: 'the owner lane is closed',
    tampering: credentialPolicies((policy) => ({ ...policy, ownerLane: false })),
    breaks: [
      'a-running-block-stops-whom-it-should-and-nobody-else',
      'a-trusted-device-answers-only-for-itself',
    ],
  },
  {
    name: 'IP-only blocks climb the whole ladder',
    tampering: credentialPolicies((policy) => ({
      ...policy,
      ladder: { ...policy.ladder, maxAdvisoryLevel: 6 },
    })),
    breaks: ['ip-only-never-above-level-3'],
  },
  {
    name: 'nobody watches who stays below a threshold',
    tampering: credentialPolicies((policy) => ({
      ...policy,
      correlation: { ...policy.correlation, watchMs: 0 },
    })),
    breaks: ['nobody-hovers-at-n-minus-1'],
  },
  {
    name: 'an account keeps any number of devices',
    tampering: credentialPolicies((policy) => ({
      ...policy,
      caps: { ...policy.caps, accountDevices: 200, newAccountDevices: 200 },
    })),
    breaks: ['records-are-bounded'],
  },
  {
    name: 'a budget is issued again and again',
    tampering: credentialPolicies((policy) => ({ ...policy, budget: { ...policy.budget, cooldownMs: 1 } })),
    breaks: ['a-budget-is-issued-once-per-cooldown'],
  },
  {
    name: 'each failure moves the budget epoch',
    tampering: puts((key, value) => {
      if (!isKind(key, 'K4')) return value;
      const record = value as AccountRecord;
      if (record.budget.epochStart === null) return record;
      return { ...record, budget: { ...record.budget, epochStart: record.at } } as AccountRecord;
    }),
    breaks: ['a-budget-epoch-is-never-extended'],
  },
  {
    name: 'failures extend a block that runs',
    tampering: store({
      step: (step, keys) => (records, now) => {
        const result = step(records, now);
        for (const key of keys) {
          const record = records.get(key) as (StoredRecord & Partial<Holder>) | undefined;
          if (record?.standing === undefined || record.standing.hardUntil <= Math.max(now, record.at))
            continue;
          const standing = { ...record.standing, hardUntil: record.standing.hardUntil + MINUTE_MS };
          records.put(key, { ...record, standing } as StoredRecord, {
            keepMs: 72 * 60 * MINUTE_MS,
            softMs: 0,
            hardMs: MINUTE_MS,
          });
        }
        return result;
      },
    }),
    breaks: ['a-block-is-never-extended-while-it-runs'],
  },
  {
    name: 'a success clears the score of the account',
    tampering: puts((key, value, keys) => {
      if (!isKind(key, 'K4') || keys.length !== 2) return value;
      const { standing } = value as AccountRecord;
      return { ...value, standing: { ...standing, score: 0 } } as StoredRecord;
    }),
    breaks: ['scores-are-forgotten-no-faster-than-they-decay'],
  },
  {
    name: 'routing hides the block of an agent over the cap',
    tampering: store({
      look: (look, keys) => (records, now) => {
        const network = keys.find((key) => isKind(key, 'K1'));
        const record = network && (records.get(network) as NetworkRecord | undefined);
        const isFull = (record?.agentsSeenAt.length ?? 0) >= 50;
        return look(
          {
            get: (key) => (isFull && isKind(key, 'K2') ? undefined : records.get(key)),
            put: (key, value, retention) => records.put(key, value, retention),
          },
          now,
        );
      },
    }),
    breaks: ['a-running-block-stops-whom-it-should-and-nobody-else'],
  },
  {
    name: 'what was not answered is sent again',
    tampering: {
      store: (inner) => ({
        ...bound(inner),
        transact: async (keys, step) => {
          await inner.transact(keys, step);
          return inner.transact(keys, step);
        },
      }),
    },
    breaks: ['an-operation-counts-once'],
  },
  {
    name: 'errors of a step are swallowed by the store',
    tampering: {
      store: (inner) => ({
        ...bound(inner),
        transact: (keys, step) => inner.transact(keys, step).catch(() => silence as never),
      }),
    },
    breaks: ['no-silent-allow'],
  },
  {
    name: 'every node decides by its own clock',
    tampering: store({ look: (look) => (records, now) => look(records, now + 90_000) }),
    breaks: ['decisions-are-well-formed', 'a-running-block-stops-whom-it-should-and-nobody-else'],
  },
  {
    name: 'api blocks climb the whole ladder',
    tampering: {
      policies: (policies) =>
        policies.map((policy) =>
          policy.kind === 'rate' ? { ...policy, ladder: { ...policy.ladder, maxLevel: 6 } } : policy,
        ),
    },
    breaks: ['api-never-above-level-4'],
  },
  {
    name: 'a record may be written with an earlier time',
    tampering: puts((_, value) => ({ ...value, at: value.at - 1_000 })),
    breaks: ['time-runs-forward-in-a-record'],
  },
  {
    name: 'every success binds its device',
    tampering: puts((key, value) =>
      isKind(key, 'book')
        ? ({
            ...value,
            devices: (value as BookRecord).devices.map((entry) => ({ ...entry, bound: true })),
          } as StoredRecord)
        : value,
    ),
    breaks: ['trust-comes-from-success-only'],
  },
  {
    name: 'check touches what it looks at',
    tampering: {
      store: (inner) => ({
        ...bound(inner),
        view: async (keys, look) => {
          const [first] = keys;
          if (first !== undefined) inner.transact([first], touch(first)).catch(() => silence);
          return inner.view(keys, look);
        },
      }),
    },
    breaks: ['check-writes-nothing'],
  },
  {
    name: 'blocked failures are counted all the same',
    tampering: store({
      look: (look) => (records, now) => look(unblocked(records), now),
      step: (step) => (records, now) => step(unblocked(records), now),
    }),
    breaks: ['a-blocked-group-writes-nothing', 'a-running-block-stops-whom-it-should-and-nobody-else'],
  },
  {
    name: 'events tell who it was',
    tampering: { guard: indiscreet },
    breaks: ['events-name-nobody'],
  },
];
