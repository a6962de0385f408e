import type { StoredRecord } from '../../core/records.ts';
import { otherAgentKey } from '../../core/request.ts';
import { isLetThrough, isOvertaken } from '../../guard/attempt.ts';
import type { Call, OperationName } from '../../guard/engine.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import type { Act } from './cast.ts';
import { noRecords, type Operated, type ProofEngine, type RecordMap } from './proof-engine.ts';

/** When everything begins. Far from zero, so that a time is never mistaken for a count. */
export const START_MS = 1_700_000_000_000;

/** How a state was reached: its last act, and the way to the one before. */
export interface Trail {
  readonly before: Trail | null;
  readonly act: Act;
  readonly t: number;
}

/** A state of the search: the records, the time of the last act, and how it was reached. */
export interface State {
  readonly t: number;
  readonly turn: number;
  readonly records: RecordMap;
  readonly trail: Trail | null;
}

export const beginning: State = { t: START_MS, turn: 0, records: noRecords, trail: null };

/** An act that has been played. */
export interface Played {
  readonly act: Act;
  readonly operated: readonly Operated[];
  /** What each of the operations was asked with. */
  readonly requests: readonly GuardRequest[];
  /** Wrong credentials that were looked at, and would have been accepted had they been right. */
  readonly verified: number;
  readonly state: State;
}

/** Plays one act at time `t`, as a host would run it. */
export function play(engine: ProofEngine, action: string, from: State, act: Act, t: number): Played {
  const operated: Operated[] = [];
  const requests: GuardRequest[] = [];
  let records = from.records;
  let verified = 0;
  const perform = (op: OperationName, index: number): Operated => {
    const request = { action, ...act.signals(from.turn + index) };
    const done = engine.perform(records, op, request, t, act.cost);
    requests.push(request);
    operated.push(done);
    records = done.after;
    return done;
  };
  const end = endOf(act);
  const admitted: number[] = [];
  for (let index = 0; index < act.volley; index += 1) {
    const isAsked = act.does === 'guess' || act.does === 'signIn';
    if (!isAsked || isLetThrough(perform('check', index).decision)) admitted.push(index);
  }
  for (const index of admitted) {
    const { op, decision } = perform(end, index);
    if (op === 'fail' && !isOvertaken(decision)) verified += 1;
  }
  const kept = retire(records, act, operated);
  return {
    act,
    operated,
    requests,
    verified,
    state: { t, turn: from.turn + act.volley, records: kept, trail: { before: from.trail, act, t } },
  };
}

function endOf({ does }: Act): OperationName {
  if (does === 'guess') return 'fail';
  return does === 'signIn' ? 'succeed' : does;
}

/** Forgets the records of addresses and devices that never come back: no later decision looks at them. */
function retire(records: RecordMap, act: Act, operated: readonly Operated[]): RecordMap {
  if (!act.isNewAddress && !act.isNewDevice) return records;
  const gone = new Set<string>();
  for (const { call } of operated) for (const text of retiredKeys(call, act)) gone.add(text);
  const kept = new Map<string, StoredRecord>();
  for (const [text, record] of records) if (!gone.has(text)) kept.set(text, record);
  return kept;
}

function retiredKeys({ request }: Call, { isNewAddress, isNewDevice }: Act): string[] {
  const { network, agent, networkDevice, device } = request.keys;
  const ofAddress = isNewAddress ? [network, agent, otherAgentKey(request)] : [];
  const ofDevice = isNewDevice ? [device] : [];
  return [...ofAddress, ...ofDevice, networkDevice].flatMap((key) => (key === null ? [] : [key.text]));
}

/** The acts of a trail, the first one first. */
export function stepsOf(trail: Trail | null): readonly Trail[] {
  const steps: Trail[] = [];
  for (let step = trail; step !== null; step = step.before) steps.push(step);
  return steps.reverse();
}
