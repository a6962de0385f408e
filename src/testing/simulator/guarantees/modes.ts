import type { Mode } from '../../../core/decision.ts';
import { MINUTE_MS, SECOND_MS } from '../../../core/duration.ts';
import type { OperationTrace } from '../operation-trace.ts';
import type { Guarantee } from './guarantee.ts';
import { ModeModel } from './mode-model.ts';

/** One value per node and policy. */
export class PerPolicy<V> {
  readonly #values = new Map<string, V>();
  readonly #make: (policy: string) => V;

  constructor(make: (policy: string) => V) {
    this.#make = make;
  }

  of(node: number, policy: string): V {
    const name = `${node} ${policy}`;
    const found = this.#values.get(name) ?? this.#make(policy);
    this.#values.set(name, found);
    return found;
  }
}

export const modesFollowTheContract: Guarantee = {
  name: 'modes-follow-the-contract',
  says: 'Every decision has the mode that engine contract §12 says, and an open breaker keeps operations from the store.',
  watch: (around, violate) => {
    const models = new PerPolicy((policy) => new ModeModel(policy === 'api'));
    return {
      sent: (node, kind, operation) => {
        if (operation === null) return;
        const model = models.of(node, operation.policy);
        model.advance(Math.floor(around.nodeNow(node)));
        if (model.isOpen) violate(`${operation.op} sent a ${kind} although the breaker was open`);
      },
      told: (node, { name, event }) => {
        if (name !== 'store' || event.op !== 'probe') return;
        const now = around.nodeNow(node);
        const model = models.of(node, event.policy);
        model.probe(Math.floor(now - event.durationMs), event.fault === null);
        model.advance(Math.floor(now));
      },
      decided: (operation) => {
        const { node, policy, decision, messages } = operation;
        const now = Math.floor(operation.endedAt ?? 0);
        const model = models.of(node, policy);
        model.advance(now);
        if (decision === null || decision.mode === 'NORMAL') return;
        if (messages.length > 0) model.fail(now);
        const expected = model.modeWithoutStore(now);
        if (messages.length === 0 && !model.isOpen)
          violate('the store was not called although the breaker was closed');
        if (decision.mode !== expected) violate(`${decision.mode} where the contract says ${expected}`);
      },
    };
  },
};

export const nothingIsAllowedSilently: Guarantee = {
  name: 'no-silent-allow',
  says: 'A decision in mode NORMAL was made on the store and heard in full; login and otp never fail open; FAIL_CLOSED lets nobody through.',
  watch: (_, violate) => ({
    decided: ({ decision, messages, policy }) => {
      if (decision === null) return;
      const { mode, outcome } = decision;
      const isHeard = messages.length > 0 && messages.every(({ hasReturned }) => hasReturned);
      if (mode === 'NORMAL' && !isHeard) violate('a decision does not rest on the store');
      if (mode === 'FAIL_OPEN' && policy !== 'api') violate(`${policy} failed open`);
      if (mode === 'DEGRADED' && policy === 'api') violate('api was degraded');
      if (mode === 'FAIL_CLOSED' && outcome !== 'HARD_BLOCK') violate(`FAIL_CLOSED answered ${outcome}`);
    },
  }),
};

export const everyOperationIsAnswered: Guarantee = {
  name: 'every-operation-is-answered',
  says: 'However messages are lost or late, every operation ends with a decision, within 50 ms.',
  watch: (around, violate) => {
    const waiting = new Map<number, OperationTrace>();
    return {
      sent: (_node, _kind, operation) => {
        if (operation !== null && operation.decision === null) waiting.set(operation.id, operation);
      },
      decided: ({ id, op, startedAt, endedAt }) => {
        waiting.delete(id);
        const tookMs = (endedAt ?? startedAt) - startedAt;
        if (tookMs > 50 && !around.hasPauses) violate(`${op} took ${tookMs} ms`);
      },
      ended: () => {
        // What began just before the world ended has its time still.
        for (const { op, policy, node, startedAt } of waiting.values()) {
          if (around.nodeNow(node) - startedAt > 50) violate(`a ${op} of ${policy} never ended`);
        }
      },
    };
  },
};

export const breakersKeepTheirDistance: Guarantee = {
  name: 'degraded-at-most-twice-in-30-min',
  says: 'No policy enters a degraded epoch a third time within 30 min; no breaker closes before 5 min.',
  watch: (_, violate) => {
    const entries = new PerPolicy<number[]>(() => []);
    const tripped = new PerPolicy<{ at: number }>(() => ({ at: 0 }));
    return {
      told: (node, { name, event }) => {
        if (name === 'mode' && event.from === 'NORMAL' && event.to !== 'FAIL_CLOSED') {
          const times = entries.of(node, event.policy);
          times.push(event.at);
          if (times.filter((at) => at > event.at - 30 * MINUTE_MS).length > 2) violate('a third entry');
        }
        if (name !== 'breaker') return;
        const open = tripped.of(node, event.policy);
        if (event.what === 'tripped') open.at = event.at;
        if (event.what === 'closed' && event.at - open.at < 5 * MINUTE_MS)
          violate('a breaker closed too soon');
      },
    };
  },
};

interface ModeTime {
  mode: Mode;
  since: number;
}

export const shutTimeIsBounded: Guarantee = {
  name: 'fail-closed-is-bounded',
  says: 'A policy is shut for 10 min and no longer, with a critical signal; and every world that is well again is NORMAL again.',
  watch: (around, violate) => {
    const modes = new PerPolicy<ModeTime>(() => ({ mode: 'NORMAL', since: 0 }));
    const seen = new Set<string>();
    const criticals = new Set<string>();
    return {
      told: (node, { name, event }) => {
        if (name === 'critical') criticals.add(`${node} ${event.policy}`);
        if (name !== 'mode') return;
        const time = modes.of(node, event.policy);
        const subject = `${node} ${event.policy}`;
        seen.add(subject);
        const tolerance = 5 * SECOND_MS + 100;
        if (time.mode === 'FAIL_CLOSED' && event.at - time.since > 10 * MINUTE_MS + tolerance)
          violate(`shut for ${event.at - time.since} ms`);
        if (event.to === 'FAIL_CLOSED' && !criticals.delete(subject))
          violate('shut without a critical signal');
        time.mode = event.to;
        time.since = event.at;
      },
      ended: () => {
        for (const subject of seen) {
          const [node = '', policy = ''] = subject.split(' ');
          const { mode, since } = modes.of(Number(node), policy);
          if (mode !== 'NORMAL') {
            const forMs = Math.floor(around.nodeNow(Number(node))) - since;
            violate(`still ${mode} after ${forMs} ms although the store is well`);
          }
        }
      },
    };
  },
};

export const eventsNameNobody: Guarantee = {
  name: 'events-name-nobody',
  says: 'No event carries an identifier or a hash of one, and no message of the store.',
  watch: (_, violate) => {
    const hashes = new Set<string>();
    const note = ({ subject }: OperationTrace) => {
      const { account, network, device } = subject;
      for (const token of [account, network, device?.token]) if (token) hashes.add(token.hash);
    };
    return {
      decided: note,
      told: (_node, { name, event }) => {
        if (name === 'store' || name === 'decision') return;
        const text = JSON.stringify(event);
        if (/account-|device-|\d+\.\d+\.\d+\.\d+|simulated/.test(text)) violate(`${name} names somebody`);
        for (const word of text.match(/[\w-]{22}/g) ?? []) {
          if (hashes.has(word)) violate(`${name} carries a hash`);
        }
      },
    };
  },
};
