import { assertOptions, assertPart, type OptionKinds } from '../core/options.ts';
import type { Limiter } from '../limits/index.ts';
import { assertStore } from '../stores/assert-store.ts';
import type { Store } from '../stores/store.ts';
import type { After } from './delay-room.ts';
import type { BotVerifier } from './good-bots.ts';
import { type WatchOptions, watchKinds } from './watch.ts';

/** How scenarios are made. Only `store` and `secret` are needed. */
export interface ScenariosOptions extends WatchOptions {
  /** Where evidence is kept. */
  readonly store: Store;
  /**
   * Keeps the blocks of clients, so that they are lifted where others are; and so do the limiters of all adapters that these
   * scenarios are given to. Default: scenarios keep them.
   */
  readonly limiter?: Pick<Limiter, 'block' | 'lift'> | undefined;
  /** Tells real search engines from those that only say so. Default: nobody is asked. */
  readonly goodBots?: BotVerifier | undefined;
  /** Calls of this process that may be held back at once, 0 to 10,000. Default 100. */
  readonly mostDelayed?: number | undefined;
  /** Time in ms. Default `Date.now`. */
  readonly clock?: (() => number) | undefined;
  /** From 0 to 1, for how long a call is held back. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Default: the timers of the process. */
  readonly after?: After | undefined;
}

const optionKinds: OptionKinds<ScenariosOptions> = {
  ...watchKinds,
  store: 'checked',
  limiter: 'checked',
  goodBots: 'checked',
  mostDelayed: 'checked',
  clock: 'function',
  random: 'function',
  after: 'function',
};

/** @throws Fault `CONFIG_INVALID` when an option is unknown, or of a kind that would only fail once it is used. */
export function assertScenariosOptions(options: ScenariosOptions): void {
  assertOptions('scenarios', options, optionKinds);
  assertStore(options.store);
  const { limiter, goodBots } = options;
  if (limiter !== undefined) assertPart('limiter', limiter, ['block', 'lift'], 'what createLimiter gives');
  if (goodBots !== undefined) {
    assertPart('goodBots', goodBots, ['isVerified', 'verify'], 'what createBotVerifier gives');
  }
}
