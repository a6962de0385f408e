import { assertName } from '../core/names.ts';
import type { Key, Records } from '../core/records.ts';
import { harmless } from '../listeners/listener-warnings.ts';
import { clearingStore } from '../stores/clearing-store.ts';
import type { WalkOptions } from '../stores/store.ts';
import { AllowList } from './allow-list.ts';
import { assertCost, milliCost, scaledQuota } from './allowance.ts';
import { assertCall, type Call } from './call.ts';
import { type ClientBlock, ClientBlocks } from './client-blocks.ts';
import { type Client, type ClientFinder, createClientFinder } from './client-finder.ts';
import { type ClientKey, ClientKeyspace, keysOf } from './client-keys.ts';
import { clientSaysNothing, sightMs } from './client-record.ts';
import { warnOfDeployment } from './deployment-warnings.ts';
import type { LimitCounts, LimitEvent } from './events.ts';
import { LimitBook } from './limit-book.ts';
import { LimitCounter } from './limit-counter.ts';
import { assertKinds, type LimiterOptions, shadowsOf } from './limiter-options.ts';
import { QuotaTerms } from './quota-terms.ts';
import { type CompiledRoute, defaultRoutes, RouteTable } from './route-table.ts';
import { settle } from './settle.ts';
import { ShortTake, takeLent, takeShort } from './short-take.ts';
import { type Answered, type LimitMode, StoreFallback } from './store-fallback.ts';
import { type Ask, type Refusal, refusedByBlock, type Taken, take } from './take.ts';
import { takeInShadow } from './take-in-shadow.ts';
import { callerOf, checkedVerdict, skippedVerdict, type Verdict } from './verdict.ts';

/** Limits calls by token buckets over a store. A refusal is a value; only faults and misuse throw. */
export interface Limiter {
  readonly name: string;
  /**
   * Decides on a call and takes its cost when it is allowed. Throws `INPUT_INVALID` when `ip` is no address, or a field unknown
   * or of the wrong type.
   */
  take(call: Call): Promise<Verdict>;
  /**
   * The same without a promise where the store needs none, which costs less than waiting for one: for whoever asks
   * for every request. What it throws, it throws at once or later. A limiter around another one may do without.
   */
  takeAtOnce?(call: Call): Verdict | Promise<Verdict>;
  /**
   * Sets what an allowed call costs in the end: less gives back, more is taken, also from what is not there yet.
   * Nothing happens for a call that the store has not charged. May be called again.
   *
   * @param cost a whole number from 0 to 1,000,000
   */
  settle(verdict: Verdict, cost: number): Promise<void>;
  /**
   * The blocks of clients that run now and are enforced: none that an auto-block in shadow would have placed. One that a
   * key rotation has carried over is listed under both of its hashes until it ends.
   */
  blocks(options?: WalkOptions): AsyncIterable<ClientBlock>;
  /**
   * The id under which `blocks` lists the block of this client, whether one runs or not. While a key rotation runs it names
   * both hashes, so that `lift` finds the block under either. Holds hashes only. Throws `INPUT_INVALID` when an anonymous
   * client's `ip` is no address.
   */
  blockIdOf(client: Client): Promise<string>;
  /** Ends the block of a client, or the one that `blocks` lists by this id. False when none was running. */
  lift(client: Client | string): Promise<boolean>;
  /**
   * Blocks the client from this level of the ladder on, default 2, also where auto-blocks are in shadow. Gives the end of
   * the block, by the store's clock.
   */
  block(client: Client, fromLevel?: number): Promise<number>;
  counts(): LimitCounts;
}

/**
 * Makes a limiter.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range; the message names it.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  return limiterAfter(null, options);
}

/**
 * A limiter that takes the place of one on the same store. What was counted goes on; and so does, where its records have the
 * same names, what the one before keeps of its own while the store fails.
 *
 * @throws Fault `CONFIG_INVALID` as {@link createLimiter}
 */
export function limiterAfter(before: Limiter | null, options: LimiterOptions): Limiter {
  assertKinds(options);
  const limiter = new BucketLimiter(options, before instanceof BucketLimiter ? before : null);
  warnOfDeployment(options.store, options.warn);
  return limiter;
}

/** Ends the name under which the records of what is in shadow are kept: no limiter can be called so. */
const shadowMark = '~shadow';

class BucketLimiter implements Limiter {
  readonly name: string;
  readonly #keyspace: ClientKeyspace;
  readonly #keyOf: ClientFinder;
  /** Finds the key of what is in shadow; null where nothing is. */
  readonly #shadowKeyOf: ClientFinder | null;
  readonly #terms: QuotaTerms;
  readonly #routes: RouteTable;
  readonly #limits: LimitBook;
  readonly #allow: AllowList;
  readonly #shadows: ReturnType<typeof shadowsOf>;
  readonly #refillScale: (call: Call) => number;
  readonly #blocks: ClientBlocks;
  readonly #store: StoreFallback;
  readonly #counter: LimitCounter;
  readonly #onEvent: (event: LimitEvent) => void;
  readonly #clock: () => number;

  constructor(options: LimiterOptions, before: BucketLimiter | null) {
    this.#counter = before === null ? new LimitCounter() : before.#counter;
    const { name = 'default' } = options;
    this.name = name;
    this.#shadows = shadowsOf(options.shadow);
    const { environment = 'default' } = options;
    assertName('environment', environment);
    assertName('name', name);
    this.#keyspace = new ClientKeyspace(environment, name);
    this.#keyOf = createClientFinder(this.#keyspace, options);
    const hasShadow = this.#shadows.limit || this.#shadows.autoBlock;
    this.#shadowKeyOf = hasShadow
      ? createClientFinder(new ClientKeyspace(environment, `${name}${shadowMark}`), options)
      : null;
    this.#terms = new QuotaTerms(name);
    this.#routes = new RouteTable(options.routes ?? defaultRoutes, options.otherCost ?? 1);
    this.#limits = new LimitBook(options);
    this.#allow = new AllowList(options.allow ?? {});
    this.#refillScale = options.refillScale ?? (() => 1);
    const onEvent = options.onEvent && harmless('limiter', options.onEvent);
    this.#onEvent = (event) => {
      this.#counter.count(event);
      onEvent?.(event);
    };
    const store = clearingStore(options.store, (setAside) =>
      this.#onEvent({ type: 'record-corrupt', setAside }),
    );
    this.#blocks = new ClientBlocks(store, this.#keyspace, this.#keyOf, this.#limits);
    this.#clock = options.clock ?? (() => Date.now());
    this.#store =
      before !== null && before.#keyspace.prefix === this.#keyspace.prefix
        ? before.#store
        : new StoreFallback(options.store, this.#clock, this.#onEvent, clientSaysNothing);
  }

  async take(call: Call): Promise<Verdict> {
    return this.takeAtOnce(call);
  }

  takeAtOnce(call: Call): Verdict | Promise<Verdict> {
    assertCall(call);
    const route = this.#routes.find(call.method, call.path, call.otherPaths);
    const skipped = this.#allow.find(call);
    if (skipped !== null) {
      this.#onEvent({ type: 'skipped', by: skipped, route: route.name });
      return skippedVerdict(call, route, skipped);
    }
    if (call.cost !== undefined) assertCost('INPUT_INVALID', 'cost', call.cost);
    const ask: Ask = {
      client: this.#keyOf(call),
      allowance: this.#limits.find(call),
      scale: this.#refillScale(call) * (call.standing?.refillScale ?? 1),
      cost: call.cost ?? route.cost,
      blocksInShadow: false,
    };
    const refused = this.#refusedByStanding(call, route, ask);
    if (refused !== null) return refused;
    if (this.#shadowKeyOf !== null) return this.#takeInShadow(call, route, ask, this.#shadowKeyOf(call));
    const short = shortTakeOf(ask);
    if (this.#store.amendAtOnce(ask.client, sightMs, takeShort, short)) {
      return this.#judge(call, route, ask, short, 'NORMAL');
    }
    return this.#transact(call, route, ask, keysOf(ask.client), (records, now) =>
      takeLent(records, short, now) ? short : take(records, ask, now),
    );
  }

  #takeInShadow(call: Call, route: CompiledRoute, ask: Ask, shadow: ClientKey): Verdict | Promise<Verdict> {
    const keys = [...keysOf(ask.client), ...keysOf(shadow)];
    return this.#transact(call, route, ask, keys, (records, now) =>
      takeInShadow(records, ask, shadow, this.#shadows, now),
    );
  }

  #transact(
    call: Call,
    route: CompiledRoute,
    ask: Ask,
    keys: readonly Key[],
    step: (records: Records, now: number) => Taken,
  ): Verdict | Promise<Verdict> {
    const judge = ({ value, mode }: Answered<Taken>) => this.#judge(call, route, ask, value, mode);
    const answered = this.#store.transactAtOnce(keys, step);
    return answered === null ? this.#store.transact(keys, step, judge) : judge(answered);
  }

  async settle(verdict: Verdict, cost: number): Promise<void> {
    assertCost('INPUT_INVALID', 'cost', cost);
    const { ticket } = checkedVerdict(verdict);
    if (ticket === null || cost * milliCost === ticket.takenMilli) return;
    const { key, quota, takenMilli } = ticket;
    // Before the store answers, so that a second settlement starts from this one.
    ticket.takenMilli = cost * milliCost;
    const { limit, periodMs } = quota;
    await this.#store.transact(
      [key],
      (records, now) => settle(records, { key, limit, periodMs, takenMilli, cost }, now),
      () => undefined,
    );
  }

  blocks(options?: WalkOptions): AsyncIterable<ClientBlock> {
    return this.#blocks.running(options);
  }

  blockIdOf(client: Client): Promise<string> {
    return this.#blocks.idOf(client);
  }

  lift(client: Client | string): Promise<boolean> {
    return this.#blocks.lift(client);
  }

  block(client: Client, fromLevel = 2): Promise<number> {
    return this.#blocks.place(client, fromLevel);
  }

  counts(): LimitCounts {
    return this.#counter.counts();
  }

  /** A block that others keep, and have a shadow of their own for: that of auto-blocks does not void it. */
  #refusedByStanding(call: Call, route: CompiledRoute, ask: Ask): Verdict | null {
    const refusedForMs = call.standing?.refusedForMs ?? 0;
    if (!(refusedForMs > 0)) return null;
    const t = this.#clock();
    const taken = refusedByBlock(t, ask.client, { rule: 'blocked', until: t + refusedForMs });
    return this.#judge(call, route, ask, taken, 'NORMAL');
  }

  #judge(call: Call, route: CompiledRoute, ask: Ask, taken: Taken, mode: LimitMode): Verdict {
    const { t, refusal, shadowBlock } = taken;
    const enforced = refusal !== null && !(refusal.rule === 'limit' && this.#shadows.limit) ? refusal : null;
    const shadowed = enforced === null ? (shadowBlock ?? refusal) : shadowBlock;
    if (enforced === null) this.#counter.allow();
    else this.#tellRefusal(call, route, ask.cost, enforced, t, false);
    if (shadowed !== null) this.#tellRefusal(call, route, ask.cost, shadowed, t, true);
    return {
      allowed: enforced === null,
      rule: enforced?.rule ?? null,
      retryAfterMs: enforced === null ? 0 : waitOf(enforced, t),
      caller: callerOf(call),
      route: route.name,
      signIn: route.signIn,
      cost: ask.cost,
      quota: this.#shadows.limit ? null : this.#terms.stateOf(ask.allowance, taken),
      skipped: null,
      shadow: shadowed && { rule: shadowed.rule, retryAfterMs: waitOf(shadowed, t) },
      mode,
      ticket:
        refusal === null && mode === 'NORMAL'
          ? { key: taken.key, quota: scaledQuota(ask.allowance, ask.scale), takenMilli: taken.takenMilli }
          : null,
    };
  }

  #tellRefusal(call: Call, route: CompiledRoute, cost: number, refusal: Refusal, t: number, shadow: boolean) {
    this.#onEvent({
      type: 'refused',
      rule: refusal.rule,
      caller: callerOf(call),
      route: route.name,
      cost,
      retryAfterMs: waitOf(refusal, t),
      shadow,
    });
  }
}

function shortTakeOf({ client, allowance, scale, cost }: Ask): ShortTake {
  return new ShortTake(client, scaledQuota(allowance, scale), cost, allowance);
}

/** A refused call waits at least a moment, also where clocks have run backwards. */
const waitOf = ({ until }: Refusal, t: number): number => Math.max(1, until - t);
