import { assertWhole } from '../core/amounts.ts';
import { amountOf, Fault } from '../core/fault.ts';
import { assertKind, assertOptions, type OptionKinds } from '../core/options.ts';
import { harmless } from '../listeners/listener-warnings.ts';
import { assertStore } from '../stores/assert-store.ts';
import { clearingStore } from '../stores/clearing-store.ts';
import type { Store } from '../stores/store.ts';
import { type Clock, systemClock } from './clock.ts';
import {
  assertName,
  FRESH_MS,
  fadedPressure,
  meanPressure,
  notePressure,
  pressureKey,
  pressureRetention,
} from './pressure-record.ts';

/** What both sides of the exchange need. */
export interface ExchangeOptions {
  readonly store: Store;
  /** `prod`, `stage`, …: part of the record's name. */
  readonly environment: string;
  /** How often to write or read, in milliseconds, from 10 to 5 000: what is heard more rarely would fade in between. Default 1 s. */
  readonly everyMs?: number;
  readonly clock?: Clock;
  /**
   * Told of each failure of the store, and of a pressure that is none. The exchange goes on, also when this throws, and what is
   * known fades.
   */
  readonly onFault: (fault: unknown) => void;
}

export interface PublishOptions extends ExchangeOptions {
  readonly service: string;
  /** This node's name within the service. */
  readonly node: string;
  /** Gives the pressure now: `() => caps.pressure`. What is no number is told to `onFault` and not written. */
  readonly pressure: () => number;
}

const exchangeKinds: OptionKinds<ExchangeOptions> = {
  store: 'checked',
  environment: 'checked',
  everyMs: 'checked',
  clock: 'object',
  onFault: 'function',
};
const publishKinds: OptionKinds<PublishOptions> = {
  ...exchangeKinds,
  service: 'checked',
  node: 'checked',
  pressure: 'function',
};

/**
 * Writes this node's pressure into the store, again and again, until the returned function is called.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range.
 */
export function publishPressure(options: PublishOptions): () => void {
  assertOptions('a publication of pressure', options, publishKinds);
  const { node, pressure } = options;
  assertName('node', node);
  assertKind('pressure', pressure, 'function');
  const store = storeOf(options);
  const key = pressureKey(options.environment, options.service);
  return repeat(options, async () => {
    const level = levelOf(pressure());
    await store.transact([key], (records, now) => {
      records.put(key, notePressure(records.get(key), node, level, now), pressureRetention);
    });
  });
}

/** One node's level that is no number would make the mean of all nodes none, and relieve the service of its backpressure. */
function levelOf(pressure: number): number {
  if (typeof pressure === 'number' && !Number.isNaN(pressure)) return Math.min(1, Math.max(0, pressure));
  throw new Fault('INPUT_INVALID', `pressure must give a number from 0 to 1, got ${amountOf(pressure)}`);
}

export interface WatchOptions extends ExchangeOptions {
  /** The services whose pressure is asked for. */
  readonly services: readonly string[];
}

const watchKinds: OptionKinds<WatchOptions> = { ...exchangeKinds, services: 'list' };

/** The gateway's view of its services. */
export interface PressureWatch {
  /** From 0 to 1, at once; 0 for a service that is not watched or not heard. */
  pressureOf(service: string): number;
  /**
   * Takes in a pressure that came with a response, which is sooner than the store tells. A value counts for a tenth: nodes
   * answer in turns, and one alone says little; after some ten responses the mean is there. Null, of a response that tells none, says
   * nothing: taken for 0, calls to routes without a cap would talk down what the others tell.
   */
  heard(service: string, pressure: number | null): void;
  stop(): void;
}

interface Heard {
  readonly pressure: number;
  readonly at: number;
}

/** Weight of one response among the last ones: nodes answer in turns, and the mean over some ten of them is wanted. */
const HEARD_WEIGHT = 0.1;
const nothing: Heard = { pressure: 0, at: Number.NEGATIVE_INFINITY };

/**
 * Reads the pressure of services from the store, again and again, until stopped. One round trip for all.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range.
 */
export function watchPressure(options: WatchOptions): PressureWatch {
  assertOptions('a watch of pressure', options, watchKinds);
  const { services, clock = systemClock } = options;
  assertKind('services', services, 'list');
  const store = storeOf(options);
  const keys = services.map((service) => pressureKey(options.environment, service));
  const stored = new Map(services.map((service) => [service, nothing]));
  const heard = new Map(services.map((service) => [service, nothing]));
  const left = ({ pressure, at }: Heard) => fadedPressure(pressure, clock.now() - at);

  const stop = repeat(options, async () => {
    const levels = await store.view(keys, (records, now) =>
      keys.map((key) => meanPressure(records.get(key), now)),
    );
    const at = clock.now();
    services.forEach((service, index) => {
      stored.set(service, { pressure: levels[index] ?? 0, at });
    });
  });
  return {
    pressureOf: (service) =>
      Math.max(left(stored.get(service) ?? nothing), left(heard.get(service) ?? nothing)),
    heard(service, pressure) {
      const before = heard.get(service);
      if (before === undefined || pressure === null || !(pressure >= 0 && pressure <= 1)) return;
      const level = left(before);
      heard.set(service, { pressure: level + HEARD_WEIGHT * (pressure - level), at: clock.now() });
    },
    stop,
  };
}

function storeOf({ store, onFault }: ExchangeOptions): Store {
  assertStore(store);
  // Without it a store that fails would do so unheard.
  assertKind('onFault', onFault, 'function');
  return clearingStore(store);
}

/** Runs `work` every so often, never twice at once. */
function repeat(options: ExchangeOptions, work: () => Promise<void>): () => void {
  const { everyMs = 1_000, clock = systemClock } = options;
  assertWhole('CONFIG_INVALID', 'everyMs', everyMs, 10, FRESH_MS);
  const onFault = harmless('pressure', options.onFault);
  let cancel = () => {};
  let isStopped = false;
  const turn = () => {
    work()
      .catch(onFault)
      .finally(() => {
        if (!isStopped) cancel = clock.after(everyMs, turn);
      });
  };
  cancel = clock.after(0, turn);
  return () => {
    isStopped = true;
    cancel();
  };
}
