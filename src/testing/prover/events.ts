import type { OperationName } from '../../guard/engine.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { beginning, play, START_MS, type State, stepsOf, type Trail } from './play.ts';
import type { ProofEngine } from './proof-engine.ts';

/** An event as `portcullis replay` reads it. Time begins at 0. */
export interface ProofEvent extends GuardRequest {
  readonly t: number;
  readonly op: OperationName;
  readonly cost?: number;
}

/** The events of a trail. Replayed under the same policies they give the same decisions. */
export function eventsOf(engine: ProofEngine, action: string, trail: Trail | null): readonly ProofEvent[] {
  const events: ProofEvent[] = [];
  let state: State = beginning;
  for (const { act, t } of stepsOf(trail)) {
    const played = play(engine, action, state, act, t);
    for (const [index, { op }] of played.operated.entries()) {
      const request = played.requests[index];
      const cost = op === 'consume' && act.cost !== undefined ? { cost: act.cost } : {};
      if (request !== undefined) events.push({ t: t - START_MS, op, ...request, ...cost });
    }
    state = played.state;
  }
  return events;
}

export const eventLines = (events: readonly ProofEvent[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('');
