import { Fault } from '../../core/fault.ts';
import type { Request } from '../../core/request.ts';
import type { Subject } from '../../core/subject.ts';
import type { OperationName } from '../engine.ts';
import { CapTable } from './cap-table.ts';
import { type CapScope, type DegradedCap, subjectLimit } from './failure-policy.ts';
import { OpenAttempts } from './open-attempts.ts';

/** What the local caps say to an operation. */
export interface CapVerdict {
  /** The scopes over their cap; none when the operation may go on. */
  readonly over: readonly CapScope[];
  /** Whether this operation was counted: the end of an attempt that its `check` has counted is not. */
  readonly counted: boolean;
}

/** Judges operations on this node alone while the store is away. Nothing of it ever reaches a store. */
export interface LocalCaps {
  judge(op: OperationName, request: Request, now: number): CapVerdict;
  /** An attempt whose `check` was counted was not made: it is taken back. Nothing happens where none is open. */
  withdraw?(request: Request, now: number): void;
  /** The breaker has closed. What was counted stays counted until its window has passed. */
  endEpoch(): void;
}

/**
 * The degraded caps of one policy (engine contract §12). An attempt counts once, on all its keys or, if one of them
 * is over its cap, on none: a refused attempt never keeps an owner out longer. A success resets nothing.
 */
export class DegradedCaps implements LocalCaps {
  readonly #tables: readonly CapTable[];
  readonly #attempts: OpenAttempts;

  constructor(caps: readonly DegradedCap[], places = subjectLimit) {
    this.#tables = caps.map((cap) => new CapTable(cap, places));
    this.#attempts = new OpenAttempts(Math.max(0, ...caps.map(({ windowMs }) => windowMs)));
  }

  judge(op: OperationName, { policy, subject }: Request, now: number): CapVerdict {
    if (policy.kind === 'rate') return op === 'check' ? this.#look(subject, now) : this.#admit(subject, now);
    const attempt = attemptTextOf(subject);
    if (op !== 'check') return this.#attempts.settle(attempt, now) ? settled : this.#admit(subject, now);
    const verdict = this.#admit(subject, now);
    if (verdict.counted) this.#attempts.open(attempt, now);
    return verdict;
  }

  withdraw({ subject }: Request, now: number): void {
    const at = this.#attempts.withdraw(attemptTextOf(subject), now);
    if (at === null) return;
    for (const table of this.#tables) table.takeBack(keyTextOf(subject, table.cap.scope), at);
  }

  endEpoch(): void {
    this.#attempts.clear();
  }

  #look(subject: Subject, now: number): CapVerdict {
    const over = this.#tables
      .filter((table) => !table.hasRoom(keyTextOf(subject, table.cap.scope), now))
      .map(({ cap }) => cap.scope);
    return { over, counted: false };
  }

  #admit(subject: Subject, now: number): CapVerdict {
    const verdict = this.#look(subject, now);
    if (verdict.over.length > 0) return verdict;
    for (const table of this.#tables) table.count(keyTextOf(subject, table.cap.scope), now);
    return { ...verdict, counted: true };
  }
}

const settled: CapVerdict = { over: [], counted: false };

/** An attempt has no name of its own: the operations of one show the same subject. */
function attemptTextOf({ account, network, agent, device }: Subject): string {
  return `${account?.hash}:${network.hash}:${agent.hash}:${device?.token.hash}`;
}

function keyTextOf({ account, network, agent }: Subject, scope: CapScope): string {
  if (scope === 'K1') return network.hash;
  if (scope === 'K2') return `${network.hash}:${agent.hash}`;
  if (account === null)
    throw new Fault('INVARIANT_BROKEN', 'an account cap met a request without an account');
  return account.hash;
}
