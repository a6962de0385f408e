import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import type { CredentialPolicy } from '../../core/policy.ts';
import { isLetThrough } from '../../guard/attempt.ts';
import { accountKind } from './account-kind.ts';
import { boundariesOf } from './boundaries.ts';
import { type Act, guess, type OwnerKind, ownerSignals } from './cast.ts';
import { climb } from './layered-beam.ts';
import { play, type State, type Trail } from './play.ts';
import type { ProofEngine, RecordMap } from './proof-engine.ts';
import { faceless, newcomer, settledIn } from './scenes.ts';

/** Who wants to keep the owner out. */
export interface Besieger {
  readonly id: 'stranger' | 'neighbour';
  readonly says: string;
  /** What they do about an owner who shows up like this. */
  actsOn(owner: OwnerKind): readonly Act[];
}

const strangersAtOnce = [2, 3].flatMap((volley) => [
  guess('strangers from new addresses, without devices', { ip: 'new', device: 'none' }, volley),
  guess('strangers from new addresses and devices', { ip: 'new', device: 'new' }, volley),
]);

/** Somebody behind the same address, with the same browser, who fails on an account of their own. */
function neighbour(owner: OwnerKind, volley: number): Act {
  const { ip, ua } = ownerSignals(owner);
  const act = guess('a neighbour without a device', { account: 'another', ip: 1, device: 'none' }, volley);
  return { ...act, signals: (turn) => ({ ...act.signals(turn), ip, ua }) };
}

export const besiegers: readonly Besieger[] = [
  {
    id: 'stranger',
    says: 'anybody who knows the account’s name',
    actsOn: () => [newcomer, faceless, ...strangersAtOnce],
  },
  {
    id: 'neighbour',
    says: 'somebody at the owner’s address with the same browser, on another account',
    actsOn: (owner) => [1, 2, 3].map((volley) => neighbour(owner, volley)),
  },
];

/** How long the owner is to be kept out, without a gap. */
export const sieges = [
  { id: 'hour', ms: HOUR_MS },
  { id: 'day', ms: DAY_MS },
  { id: 'week', ms: 7 * DAY_MS },
] as const;

export type SiegeId = (typeof sieges)[number]['id'];

/** How a siege was found to succeed. */
export interface Denial {
  readonly siege: SiegeId;
  /** Fewest requests of the besieger's; null if none were found to do. */
  readonly requests: number | null;
  readonly trail: Trail | null;
  /** From when on the owner is out. */
  readonly sinceMs: number;
}

export interface DenialSearch {
  readonly engine: ProofEngine;
  readonly policy: CredentialPolicy;
  readonly action: string;
  readonly owner: OwnerKind;
  readonly besieger: Besieger;
  readonly width: number;
  /** Requests at most. */
  readonly maxRequests: number;
  readonly isOver: () => boolean;
}

/** A state, and since when and until when the owner is refused whenever they try. */
interface Besieged {
  readonly state: State;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The fewest requests that were found to keep an owner out for so long. */
export function cheapestDenials(search: DenialSearch): readonly Denial[] {
  const { engine, policy, action, width, maxRequests, isOver } = search;
  const found = new Map<SiegeId, Denial>();
  const start = settledIn(engine, action);
  const acts = search.besieger.actsOn(search.owner);
  const layers = climb<Besieged>({
    start: { state: start, sinceMs: start.t, untilMs: start.t },
    width,
    isOver,
    bucketOf: ({ state, untilMs }) => `${accountKind(state, policy)} ${untilMs > state.t}`,
    rank: ({ sinceMs, untilMs }) => sinceMs - untilMs,
    *expand(from) {
      for (const t of timesOf(from, policy)) {
        for (const act of acts) {
          const { operated, state } = play(engine, action, from.state, act, t);
          if (operated.every(({ before, after }) => before === after)) continue;
          const untilMs = refusedUntil(search, state.records, t);
          yield { to: { state, sinceMs: t <= from.untilMs ? from.sinceMs : t, untilMs }, up: act.volley };
        }
      }
    },
  });
  for (const { layer, candidates } of layers) {
    if (layer > maxRequests || found.size === sieges.length) break;
    const [best] = candidates;
    const keptOutMs = best === undefined ? 0 : best.untilMs - best.sinceMs;
    for (const { id, ms } of sieges) {
      if (best !== undefined && keptOutMs >= ms && !found.has(id))
        found.set(id, { siege: id, requests: layer, trail: best.state.trail, sinceMs: best.sinceMs });
    }
  }
  return sieges.map(({ id }) => found.get(id) ?? { siege: id, requests: null, trail: null, sinceMs: 0 });
}

/** While the owner is out, only times before they get in again; else any. */
function timesOf({ state, untilMs }: Besieged, policy: CredentialPolicy): readonly number[] {
  const times = [state.t, ...boundariesOf(state.records, state.t, policy)];
  return untilMs > state.t ? times.filter((t) => t <= untilMs) : times;
}

/** Until when the owner is refused whenever they try, if nothing more happens; `t` if they get in at once. */
function refusedUntil({ engine, action, owner }: DenialSearch, records: RecordMap, t: number): number {
  let until = t;
  for (let turn = 0; turn < MOST_BLOCKS_IN_A_ROW; turn += 1) {
    const request = { ...ownerSignals(owner), action };
    const { decision } = engine.perform(records, 'check', request, until);
    if (isLetThrough(decision) || decision.until <= until) return until;
    until = decision.until;
  }
  return until;
}

const MOST_BLOCKS_IN_A_ROW = 16;
