import type { Decision } from '../core/decision.ts';
import type { Operation } from '../core/operation.ts';
import type { Subject } from '../core/subject.ts';
import { tell } from '../listeners/tell.ts';
import type { Call, OperationName } from './engine.ts';
import type { EventHub, GuardEvents } from './events.ts';
import type { Clock } from './failure/clock.ts';

/**
 * A decided call with the hashes it was decided on. For the host that assembles the guard alone: the events, which any
 * listener hears, carry no hash of an identifier.
 */
export interface DecidedCall {
  readonly op: OperationName;
  readonly action: string;
  readonly cost: number;
  /** The time it was decided at: the store's, or the node's where the store took no part. Milliseconds, whole. */
  readonly t: number;
  readonly subject: Subject;
  readonly decision: Decision;
}

/** Is told of every decision, of all of them and in the order they were made, before the caller is. */
export type Witness = (decided: DecidedCall) => void;

/** Runs a call at the given time, or now. */
export type RunCall = (call: Call, at?: number) => Decision | Promise<Decision>;

/** The same, under the eyes of a witness. One that throws changes nothing for the decision, as with events. */
export function witnessed(
  run: RunCall,
  witness: Witness,
  clock: Clock,
  events: EventHub<GuardEvents>,
): (call: Call, cost: number, at?: number) => Promise<Decision> {
  return async (call, cost, at) => {
    const timed = new TimedCall(call);
    const decision = await run(timed.call, at);
    const { op, action, request } = call;
    const t = decision.mode === 'NORMAL' ? timed.lookedAt : null;
    const decided: DecidedCall = {
      op,
      action,
      cost,
      t: t ?? at ?? Math.floor(clock.now()),
      subject: request.subject,
      decision,
    };
    tell(witness, decided, 'decided', events.report);
    return decision;
  };
}

/** A call that notes when it looked at its records: only the store knows the time that a decision rests on. */
class TimedCall {
  readonly call: Call;
  /** Null before it has looked. */
  lookedAt: number | null = null;

  constructor(call: Call) {
    this.call = { ...call, operation: this.#timed(call.operation) };
  }

  #timed(operation: Operation): Operation {
    const { keys, isWarm, isInTurn } = operation;
    return {
      keys,
      isWarm,
      isInTurn,
      look: (records, t) => {
        this.lookedAt = t;
        return operation.look(records, t);
      },
      wider: () => this.#timed(operation.wider()),
    };
  }
}
