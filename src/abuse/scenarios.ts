import { assertWhole } from '../core/amounts.ts';
import { SECOND_MS } from '../core/duration.ts';
import type { FaultCode } from '../core/fault.ts';
import type { Key, Records } from '../core/records.ts';
import { Recent } from '../identity/recent.ts';
import { assertCallFields } from '../limits/call.ts';
import type { Client, Limiter } from '../limits/index.ts';
import { clearingStore } from '../stores/clearing-store.ts';
import type { ImmediateStore, Store } from '../stores/store.ts';
import { isPassingFailure } from '../stores/store-failure.ts';
import { StoreRest } from '../stores/store-rest.ts';
import { DelayRoom, defaultMostDelayed, processTimers } from './delay-room.ts';
import type { ScenarioCounts, ScenarioEvent, ScenarioFinding } from './events.ts';
import type { Facts } from './facts.ts';
import type { BotVerifier } from './good-bots.ts';
import { liftStep } from './lift-step.ts';
import { type Outcome, observeStep } from './observe-step.ts';
import type { RequestCall, RequestEvent } from './request-event.ts';
import { goodStanding, type ScenarioStanding } from './scenario-standing.ts';
import { assertScenariosOptions, type ScenariosOptions } from './scenarios-options.ts';
import { type Standpoint, standingLook } from './standing.ts';
import { noteBlockElsewhere, type SubjectRecord } from './subject-record.ts';
import { type EventGroup, Watch } from './watch.ts';

/** Watches requests for abuse and says how callers are to be treated. */
export interface Scenarios {
  readonly names: readonly string[];
  /** How this caller stands, before its call is decided on. A store that fails holds nothing against anybody. */
  standing(call: RequestCall): Promise<ScenarioStanding>;
  /**
   * Holds a call back where its caller is degraded: for a part of `delayMs`, until `signal` aborts, or not at all when
   * too many wait already.
   */
  delay(standing: ScenarioStanding, signal?: AbortSignal): Promise<void>;
  /**
   * Judges a request that has been answered. Gives what was done about it. Not for calls that were refused because of a
   * block. Throws `INPUT_INVALID` when `ip` is no address, or a field unknown; a store that fails is told and counted.
   */
  observe(event: RequestEvent): Promise<readonly ScenarioFinding[]>;
  /** Ends what scenarios hold against a client: degradation and block. False when there was nothing. */
  lift(client: Client): Promise<boolean>;
  /**
   * Has the blocks of clients kept in one more limiter, where limiters keep them: one that knows of none would let a client go
   * on that is blocked. Adapters say so of theirs. Scenarios around others may do without.
   */
  keepBlocksIn?(limiter: Pick<Limiter, 'block' | 'lift'>): void;
  counts(): ScenarioCounts;
}

/** What says that the store is away. One that is full, or whose writers met at a key, has answered. */
const outages: ReadonlySet<FaultCode> = new Set(['STORE_FAILED', 'STORE_TIMEOUT']);
/** What another process has found out shows after this at the latest. */
const rememberedMs = SECOND_MS;
const remembered = 8192;
const longestRemembered = 512;
/** A delay is never so short that it would not be felt, nor always the same, which would tell. */
const shortestShare = 0.25;

/**
 * Makes scenarios over a store.
 *
 * @throws Fault `CONFIG_INVALID` when a scenario or an option is not well formed; the message names every problem.
 */
export function createScenarios(options: ScenariosOptions): Scenarios {
  assertScenariosOptions(options);
  return new WatchedScenarios(options);
}

class WatchedScenarios implements Scenarios {
  readonly names: readonly string[];
  readonly #watch: Watch;
  readonly #store: Store;
  readonly #immediate: ImmediateStore | undefined;
  /** Empty where scenarios keep all blocks themselves. */
  readonly #keepers = new Set<Pick<Limiter, 'block' | 'lift'>>();
  readonly #goodBots: BotVerifier | null;
  readonly #room: DelayRoom;
  readonly #clock: () => number;
  readonly #rest: StoreRest;
  readonly #random: () => number;
  /** When nothing was found under a key. */
  readonly #unknownAt = new Recent<number>(remembered, longestRemembered);

  constructor(options: ScenariosOptions) {
    const { limiter, mostDelayed = defaultMostDelayed } = options;
    assertWhole('CONFIG_INVALID', 'mostDelayed', mostDelayed, 0, 10_000);
    this.#watch = new Watch(options, limiter !== undefined);
    this.names = this.#watch.names;
    this.#store = clearingStore(options.store, (setAside) =>
      this.#watch.tell({ type: 'scenario', what: 'corrupt', setAside }),
    );
    this.#immediate = this.#store.immediate;
    if (limiter !== undefined) this.#keepers.add(limiter);
    this.#goodBots = options.goodBots ?? null;
    this.#room = new DelayRoom(mostDelayed, options.after ?? processTimers);
    this.#clock = options.clock ?? (() => Date.now());
    this.#rest = new StoreRest({ clock: this.#clock, outages, forgives: true });
    this.#random = options.random ?? Math.random;
  }

  async standing(call: RequestCall): Promise<ScenarioStanding> {
    assertCallFields('call', call);
    const facts = this.#watch.read(call);
    const standpoints = this.#watch.standpointsOf(facts);
    if (standpoints.length === 0) return goodStanding;
    if (this.#goodBots?.isVerified(call) === true) return goodStanding;
    if (this.#immediate === undefined) {
      const look = () => this.#storedStanding(call, facts, standpoints);
      return this.#unlessStoreFails('standing', look, goodStanding);
    }
    const scenarios = this.#watch.enforcedFor(call);
    return this.#immediate.view(
      standpoints.map(({ key }) => key),
      (records, now) => standingLook(records, standpoints, scenarios, facts, now),
    );
  }

  async delay({ delayMs }: ScenarioStanding, signal?: AbortSignal): Promise<void> {
    if (delayMs === 0) return;
    const share = shortestShare + (1 - shortestShare) * this.#random();
    const waiting = this.#room.wait(Math.round(delayMs * share), signal);
    if (waiting === null) {
      this.#watch.counter.undelayed += 1;
      return;
    }
    this.#watch.counter.delayed += 1;
    await waiting;
  }

  async observe(event: RequestEvent): Promise<readonly ScenarioFinding[]> {
    assertCallFields('call', event);
    if (this.#watch.isSkipped(event)) return nothing;
    if (this.#goodBots !== null && (await this.#goodBots.verify(event))) {
      this.#watch.tell({ type: 'scenario', what: 'skipped', scenario: null, by: 'bot' });
      return nothing;
    }
    let findings: readonly ScenarioFinding[] = nothing;
    for (const group of this.#watch.groupsOf(this.#watch.read(event))) {
      const outcome = await this.#step(group, findings.length === 0);
      if (outcome === null) continue;
      findings = [await this.#enforce(event, group, outcome)];
    }
    return findings;
  }

  async lift(client: Client): Promise<boolean> {
    assertCallFields('client', client);
    const facts = this.#watch.read({ method: 'GET', path: '/', ...client });
    const standpoints = this.#watch.standpointsOf(facts).filter(({ kind }) => kind !== 'range');
    let lifted = false;
    for (const keeper of this.#keepers) lifted = (await keeper.lift(client)) || lifted;
    for (const { key } of standpoints) {
      lifted = (await this.#liftAt(key)) || lifted;
      // The record of before a key rotation decides no more, but nodes without the new secret still go by it.
      if (key.was === null) continue;
      lifted = (await this.#liftAt({ text: key.was, was: null, form: key.form })) || lifted;
    }
    return lifted;
  }

  #liftAt(key: Key<SubjectRecord>): Promise<boolean> {
    return this.#store.transact([key], (records, now) => liftStep(records, key, now));
  }

  keepBlocksIn(limiter: Pick<Limiter, 'block' | 'lift'>): void {
    // One of a host's own, without types, may know no blocks.
    if (this.#keepers.size > 0 && 'block' in limiter && 'lift' in limiter) this.#keepers.add(limiter);
  }

  counts(): ScenarioCounts {
    return this.#watch.counter.counts();
  }

  /** A caller of whom nothing is stored is not asked about again for a moment: that is nearly everybody. */
  async #storedStanding(
    call: RequestCall,
    facts: Facts,
    standpoints: readonly Standpoint[],
  ): Promise<ScenarioStanding> {
    const now = this.#clock();
    if (standpoints.every(({ key }) => this.#isUnknown(key.text, now))) return goodStanding;
    const scenarios = this.#watch.enforcedFor(call);
    const keys = standpoints.map(({ key }) => key);
    const look = (records: Records, t: number) => ({
      standing: standingLook(records, standpoints, scenarios, facts, t),
      known: keys.some((key) => records.get(key) !== undefined),
    });
    const { standing, known } = await this.#rest.run(() => this.#store.view(keys, look));
    if (!known) for (const { key } of standpoints) this.#unknownAt.set(key.text, now);
    return standing;
  }

  /** A clock that was set back makes nothing last longer. */
  #isUnknown(key: string, now: number): boolean {
    const at = this.#unknownAt.get(key);
    return at !== undefined && now >= at && now < at + rememberedMs;
  }

  async #step(group: EventGroup, mayRespond: boolean): Promise<Outcome | null> {
    const step = (records: Records, now: number) => observeStep(records, group, now, mayRespond);
    const immediate = this.#immediate;
    const run =
      immediate === undefined
        ? () => this.#rest.run(() => this.#store.transact(group.keys, step))
        : async () => immediate.transact(group.keys, step);
    return this.#unlessStoreFails('observe', run, null);
  }

  /** Where a limiter keeps the block, it is placed now; one that cannot be placed is told and not tried again. */
  async #enforce(event: RequestEvent, group: EventGroup, outcome: Outcome): Promise<ScenarioFinding> {
    this.#unknownAt.set(group.subject.text, Number.NEGATIVE_INFINITY);
    const { plan } = group.sightings[outcome.sighting]?.sign ?? {};
    const isKeptThere = outcome.what === 'blocked' && plan?.blocksHere === false;
    if (!isKeptThere) return this.#watch.conclude(group, outcome, outcome.until);
    if (plan.isShadow) return this.#watch.conclude(group, outcome, null);
    const until = await this.#placeBlocks(event, plan.blockFromLevel ?? undefined);
    if (until !== null) await this.#noteBlock(group, until);
    return this.#watch.conclude(group, outcome, until);
  }

  /** While the block runs nothing counts, so that nothing extends it: reports of others may still come in. */
  #noteBlock({ subject }: EventGroup, until: number): Promise<void> {
    const note = (records: Records, now: number) => noteBlockElsewhere(records, subject, until, now);
    return this.#unlessStoreFails('block', () => this.#store.transact([subject], note), undefined);
  }

  /** Gives the end of the block that lasts longest; null when none could be placed. */
  async #placeBlocks(event: RequestEvent, fromLevel: number | undefined): Promise<number | null> {
    let last: number | null = null;
    for (const keeper of this.#keepers) {
      const until = await this.#unlessStoreFails('block', () => keeper.block(event, fromLevel), null);
      if (until !== null) last = Math.max(last ?? until, until);
    }
    return last;
  }

  async #unlessStoreFails<T, E>(doing: StoreWork, run: () => Promise<T>, otherwise: E): Promise<T | E> {
    try {
      return await run();
    } catch (error) {
      if (!isPassingFailure(error)) throw error;
      this.#watch.tell({ type: 'scenario', what: 'failed', doing, code: error.code });
      return otherwise;
    }
  }
}

type StoreWork = Extract<ScenarioEvent, { readonly what: 'failed' }>['doing'];

const nothing: readonly ScenarioFinding[] = [];
