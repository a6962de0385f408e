import { MINUTE_MS } from '../../../core/duration.ts';
import type { OperationTrace } from '../operation-trace.ts';
import type { Guarantee } from './guarantee.ts';
import { PerPolicy } from './modes.ts';

interface Cap {
  readonly scope: 'K4' | 'K1' | 'K2';
  readonly count: number;
  readonly windowMs: number;
}

/** The contract's own numbers, a second time. */
const caps: Readonly<Record<string, readonly Cap[]>> = {
  login: [
    { scope: 'K4', count: 3, windowMs: 10 * MINUTE_MS },
    { scope: 'K1', count: 20, windowMs: 10 * MINUTE_MS },
  ],
  otp: [
    { scope: 'K4', count: 2, windowMs: 15 * MINUTE_MS },
    { scope: 'K1', count: 10, windowMs: 15 * MINUTE_MS },
  ],
  api: [
    { scope: 'K1', count: 120, windowMs: MINUTE_MS },
    { scope: 'K2', count: 60, windowMs: MINUTE_MS },
  ],
};

function subjectOf({ subject }: OperationTrace, scope: Cap['scope']): string {
  const { account, network, agent } = subject;
  if (scope === 'K4') return `K4 ${account?.hash}`;
  return scope === 'K1' ? `K1 ${network.hash}` : `K2 ${network.hash} ${agent.hash}`;
}

/** Addresses of one prefix are one network, also for an attempt that goes on from another of them. */
const attemptOf = ({ subject: { account, network, agent, device } }: OperationTrace): string =>
  [account?.hash, network.hash, agent.hash, device?.token.hash].join(' ');

/** What one node has admitted of one policy without the store. */
class Ledger {
  readonly #caps: readonly Cap[];
  readonly #admitted = new Map<string, number[]>();
  readonly #open: { attempt: string; at: number }[] = [];

  constructor(policy: string) {
    this.#caps = caps[policy] ?? [];
  }

  endEpoch(): void {
    this.#open.length = 0;
  }

  /** Whether an earlier `check` has paid for this operation. */
  isPaid(operation: OperationTrace, now: number): boolean {
    const windowMs = Math.max(...this.#caps.map((cap) => cap.windowMs));
    const index = this.#open.findIndex(
      ({ attempt, at }) => attempt === attemptOf(operation) && at > now - windowMs,
    );
    if (index >= 0) this.#open.splice(index, 1);
    return index >= 0;
  }

  isOver(operation: OperationTrace, now: number): boolean {
    return this.#caps.some(({ scope, count, windowMs }) => {
      const times = this.#admitted.get(subjectOf(operation, scope)) ?? [];
      return times.filter((at) => at > now - windowMs).length >= count;
    });
  }

  admit(operation: OperationTrace, now: number): void {
    for (const { scope } of this.#caps) {
      const subject = subjectOf(operation, scope);
      this.#admitted.set(subject, [...(this.#admitted.get(subject) ?? []), now]);
    }
    if (operation.op === 'check') this.#open.push({ attempt: attemptOf(operation), at: now });
  }
}

export const localCapsHold: Guarantee = {
  name: 'degraded-caps-hold-on-every-node',
  says: 'Without the store a node admits no more than the caps, counts every attempt once, forgets nothing and refuses nobody below them.',
  watch: (_, violate) => {
    const ledgers = new PerPolicy((policy) => new Ledger(policy));
    return {
      told: (node, { name, event }) => {
        if (name === 'breaker' && event.what === 'closed') ledgers.of(node, event.policy).endEpoch();
      },
      decided: (operation) => {
        const { node, policy, op, decision } = operation;
        if (decision === null || (decision.mode !== 'DEGRADED' && decision.mode !== 'FAIL_OPEN')) return;
        const ledger = ledgers.of(node, policy);
        const now = Math.floor(operation.endedAt ?? 0);
        const isEnd = op === 'fail' || op === 'succeed';
        const isPaid = isEnd && ledger.isPaid(operation, now);
        const isOver = !isPaid && ledger.isOver(operation, now);
        const isAllowed = decision.outcome === 'ALLOW';
        if (isAllowed && isOver) violate(`${op} was admitted beyond a cap`);
        if (!isAllowed && !isOver) violate(`${op} was refused below the caps`);
        const isLook = policy === 'api' && op === 'check';
        if (isAllowed && !isPaid && !isLook) ledger.admit(operation, now);
      },
    };
  },
};
