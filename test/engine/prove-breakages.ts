import type { Decision } from '../../src/core/decision.ts';
import { runImmediately } from '../../src/guard/run.ts';
import type { ImmediateStore } from '../../src/stores/store.ts';
import type { RunOperation } from '../../src/testing/prover/proof-engine.ts';

/** A policy file that breaks a guarantee of the login policy. */
export interface AbsurdPolicy {
  readonly breaks: string;
  readonly file: string;
}

export const absurdPolicies: readonly AbsurdPolicy[] = [
  { breaks: 'no-single-signal', file: 'policies: { login: { score: { newDevice: 8 } } }' },
  { breaks: 'budget-locks-nobody-out', file: 'policies: { login: { budget: { cooldownMs: 60000 } } }' },
  { breaks: 'epoch-is-fixed', file: 'policies: { login: { budget: { epochMs: 172800000 } } }' },
  { breaks: 'same-device-is-counted', file: 'policies: { login: { budget: { epochMs: 1000 } } }' },
  { breaks: 'ip-only-is-never-final', file: 'policies: { login: { ladder: { maxAdvisoryLevel: 6 } } }' },
  { breaks: 'missing-device-counts', file: 'policies: { login: { score: { missingDevice: 0 } } }' },
  {
    breaks: 'escalation-persists',
    file: 'policies: { login: { ladder: { memoryMs: [1, 2, 3, 4, 5, 6] } } }',
  },
  { breaks: 'trusted-owner-gets-in', file: 'policies: { login: { ownerLane: false } }' },
];

/** A guess costs nothing that matters. */
export const boundless =
  'policies: { login: { score: { softFrom: 999998, hardFrom: 999999, severeFrom: 1000000 } } }';

/** An engine that does something wrong, and the guarantees that must each notice. */
export interface BrokenEngine {
  readonly name: string;
  readonly breaks: string;
  readonly run: RunOperation;
}

const changed =
  (change: (decision: Decision, op: string, t: number) => Decision): RunOperation =>
  (store, call, t) =>
    change(runImmediately(store, call.operation, t), call.op, t);

/** Keeps nothing of what is written. */
function forgetful(store: ImmediateStore): ImmediateStore {
  return {
    view: (keys, look) => store.view(keys, look),
    transact: (keys, step) =>
      store.transact(keys, (records, now) => step({ get: (key) => records.get(key), put: () => {} }, now)),
  };
}

let runs = 0;

export const brokenEngines: readonly BrokenEngine[] = [
  {
    name: 'a new device washes the account clean',
    breaks: 'rotation-resets-nothing',
    run: (store, call, t) => {
      const decision = runImmediately(store, call.operation, t);
      const { account } = call.request.keys;
      if (call.op !== 'fail' || account === null) return decision;
      store.transact([account], (records) => {
        const record = records.get(account);
        if (record === undefined || record.devices.length < 2) return;
        const standing = { ...record.standing, score: 0 };
        records.put(account, { ...record, standing }, { keepMs: 1, softMs: 0, hardMs: 0 });
      });
      return decision;
    },
  },
  {
    name: 'every third operation is decided otherwise',
    breaks: 'deterministic-and-atomic',
    run: (store, call, t) => {
      runs += 1;
      const decision = runImmediately(store, call.operation, t);
      return runs % 3 === 0 ? { ...decision, deferred: !decision.deferred } : decision;
    },
  },
  {
    name: 'check writes',
    breaks: 'deterministic-and-atomic',
    run: (store, call, t) => {
      const { network } = call.request.keys;
      if (call.op === 'check')
        store.transact([network], (records) => {
          const record = records.get(network);
          if (record !== undefined) records.put(network, { ...record }, { keepMs: 1, softMs: 0, hardMs: 0 });
        });
      return runImmediately(store, call.operation, t);
    },
  },
  {
    name: 'denials do not say why',
    breaks: 'auditable',
    run: changed((decision) => ({ ...decision, reasons: [] })),
  },
  {
    name: 'blocks are told a minute too short',
    breaks: 'auditable',
    run: changed((decision) =>
      decision.until > 0 ? { ...decision, until: decision.until - 60_000 } : decision,
    ),
  },
  {
    name: 'failures are forgotten',
    breaks: 'failures-leave-a-mark',
    run: (store, call, t) => runImmediately(call.op === 'fail' ? forgetful(store) : store, call.operation, t),
  },
  {
    name: 'a HARD block is let through at check',
    breaks: 'failures-leave-a-mark',
    run: changed((decision, op) =>
      op === 'check' && decision.outcome === 'HARD_BLOCK'
        ? {
            ...decision,
            outcome: 'ALLOW',
            level: 0,
            until: 0,
            retryAfterMs: 0,
            rule: null,
            scope: null,
            reasons: [],
          }
        : decision,
    ),
  },
  {
    name: 'a success is softly blocked',
    breaks: 'budget-locks-nobody-out',
    run: changed((decision, op, t) => {
      if (op !== 'succeed' || decision.outcome !== 'ALLOW') return decision;
      const soft = { rule: 'budget', scope: 'K4', outcome: 'SOFT_BLOCK', level: 3, until: t + 1 } as const;
      return { ...decision, ...soft, retryAfterMs: 1, reasons: [soft] };
    }),
  },
  {
    name: 'a budget is not deferred',
    breaks: 'budget-locks-nobody-out',
    run: changed((decision) => ({ ...decision, deferred: false })),
  },
];
