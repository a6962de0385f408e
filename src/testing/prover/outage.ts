import type { Request } from '../../core/request.ts';
import { spanText } from '../../core/span-text.ts';
import {
  advance,
  type Breaker,
  freshBreaker,
  noteFailure,
  noteProbe,
  phaseOf,
} from '../../guard/failure/breaker.ts';
import { DegradedCaps } from '../../guard/failure/degraded-caps.ts';
import {
  type BreakerPolicy,
  type DegradedCap,
  defaultBreaker,
  defaultCaps,
} from '../../guard/failure/failure-policy.ts';
import { failure, type Promised } from './guarantees/guarantee.ts';
import { START_MS } from './play.ts';

/** A promise about what happens while the store fails; the policies of the engine have no say in it. */
export interface OutageGuarantee {
  readonly id: string;
  readonly says: string;
  readonly promised: readonly Promised[];
  /** How it is broken; null if it was not found to be. `depth` is how many trips or attempts in a row. */
  search(depth: number): { readonly tried: number; readonly what: string | null };
}

/** As much of a breaker as is asked here; tests hand in ones that are broken on purpose. */
export interface BreakerMachine {
  readonly noteFailure: typeof noteFailure;
  readonly noteProbe: typeof noteProbe;
  readonly advance: typeof advance;
  readonly phaseOf: typeof phaseOf;
}

const plainBreaker: BreakerMachine = { noteFailure, noteProbe, advance, phaseOf };

/** Time that a policy was shut, in turns: from and until. */
type ShutTimes = readonly (readonly [number, number])[];

interface Flapping {
  readonly breaker: Breaker;
  readonly t: number;
  readonly shut: ShutTimes;
}

/**
 * Somebody who can make the store fail and recover at will, trips it again as soon as it is back, or a while later, and
 * keeps it sick for as long as helps.
 */
export function killSwitch(policy: BreakerPolicy = defaultBreaker, machine = plainBreaker): OutageGuarantee {
  return {
    id: 'outage-is-no-kill-switch',
    says: `However a store flaps, a policy is never shut for the whole of ${spanText(policy.entryWindowMs)}, and opens once the store is well.`,
    promised: [failure('Infrastructure failure cannot be used as a renewable kill-switch')],
    search: (depth) => {
      let tried = 0;
      let layer: readonly Flapping[] = [{ breaker: freshBreaker, t: START_MS, shut: [] }];
      for (let trip = 0; trip < depth; trip += 1) {
        const next = new Map<string, Flapping>();
        for (const from of layer) {
          for (const to of afterTrips(from, policy, machine)) {
            tried += 1;
            const what = shutTooLong(to, policy);
            if (what !== null) return { tried, what };
            next.set(JSON.stringify([to.breaker, to.t, to.shut.at(-1)]), to);
          }
        }
        layer = [...next.values()].sort((a, b) => shareShut(b) - shareShut(a)).slice(0, 200);
      }
      return { tried, what: null };
    },
  };
}

const shareShut = ({ shut, t }: Flapping): number =>
  shut.reduce((sum, [from, until]) => sum + until - from, 0) / Math.max(1, t - START_MS);

function* afterTrips(from: Flapping, policy: BreakerPolicy, machine: BreakerMachine): Generator<Flapping> {
  for (const waitMs of [0, 1, policy.minOpenMs, policy.entryWindowMs / 2]) {
    for (const sickMs of [0, policy.minOpenMs, policy.shutMs]) {
      yield afterTrip(from, waitMs, sickMs, policy, machine);
    }
  }
}

/** Trips the breaker after a while, lets probes fail for a while, then succeed until it closes. */
function afterTrip(
  from: Flapping,
  waitMs: number,
  sickMs: number,
  policy: BreakerPolicy,
  machine: BreakerMachine,
): Flapping {
  let t = from.t + waitMs;
  let { breaker } = from;
  for (let count = 0; count < policy.tripFailures; count += 1)
    breaker = machine.noteFailure(breaker, t, policy);
  const trippedAt = t;
  let shutMs = 0;
  for (let probe = 0; probe < MOST_PROBES && breaker.state === 'open'; probe += 1) {
    if (machine.phaseOf(breaker, t) === 'shut') shutMs = t + policy.probeEveryMs - trippedAt;
    t += policy.probeEveryMs;
    breaker = machine.noteProbe(breaker, t >= trippedAt + sickMs, t, policy);
    breaker = machine.advance(breaker, t, policy);
  }
  return { breaker, t, shut: shutMs === 0 ? from.shut : joined(from.shut, trippedAt, trippedAt + shutMs) };
}

const MOST_PROBES = 2_000;

/** A turn that begins where the last one ended goes on with it. */
function joined(shut: ShutTimes, from: number, until: number): ShutTimes {
  const last = shut.at(-1);
  return last !== undefined && last[1] >= from
    ? [...shut.slice(0, -1), [last[0], until]]
    : [...shut, [from, until]];
}

/** Two turns follow each other when the store is tripped the moment it is back. */
function shutTooLong({ shut, breaker }: Flapping, { entryWindowMs }: BreakerPolicy): string | null {
  if (breaker.state === 'open') return 'a breaker does not close although the store is well';
  const [from, until] = shut.at(-1) ?? [0, 0];
  return until - from >= entryWindowMs ? `shut for ${until - from} ms without a break` : null;
}

/** As much of the local caps as is asked here. */
export type OpenCaps = (caps: readonly DegradedCap[]) => Pick<DegradedCaps, 'judge'>;

/** Attempts on one account from ever new addresses, at once or at the edges of the caps' windows. */
export function boundedAbuse(
  request: (turn: number) => Request,
  openCaps: OpenCaps = (caps) => new DegradedCaps(caps),
): OutageGuarantee {
  const { policy } = request(0);
  const [cap] = defaultCaps(policy);
  return {
    id: 'outage-abuse-is-bounded',
    says: `Without a store, ${policy.name} lets at most ${cap?.count} attempts per ${spanText(cap?.windowMs ?? 0)} through on a node to one subject.`,
    promised: [failure('Abuse during outages is bounded (even under FAIL_OPEN)')],
    search: (depth) => {
      if (cap === undefined) return { tried: 0, what: 'there is no cap' };
      const waits = [0, 1, cap.windowMs - 1, cap.windowMs];
      const lengths = cap.count + depth;
      let tried = 0;
      for (let plan = 0; plan < waits.length ** depth; plan += 1) {
        tried += 1;
        const what = attemptsTooMany(planOf(plan, waits, lengths), cap, openCaps, request);
        if (what !== null) return { tried, what };
      }
      return { tried, what: null };
    },
  };
}

/** The digits of the number say how long to wait before each attempt; the first ones come at once. */
function planOf(plan: number, waits: readonly number[], length: number): number[] {
  let left = plan;
  return Array.from({ length }, () => {
    const wait = waits[left % waits.length] ?? 0;
    left = Math.floor(left / waits.length);
    return wait;
  });
}

function attemptsTooMany(
  waits: readonly number[],
  cap: DegradedCap,
  openCaps: OpenCaps,
  request: (turn: number) => Request,
): string | null {
  const caps = openCaps([cap]);
  const admitted: number[] = [];
  let t = START_MS;
  for (const [turn, waitMs] of waits.entries()) {
    t += waitMs;
    const op = request(0).policy.kind === 'rate' ? 'consume' : 'check';
    if (caps.judge(op, request(turn), t).over.length > 0) continue;
    admitted.push(t);
    const recent = admitted.filter((at) => at > t - cap.windowMs).length;
    if (recent > cap.count) return `${recent} attempts within ${cap.windowMs} ms were let through`;
  }
  return null;
}
