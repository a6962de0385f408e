import { pause } from '../../../src/svc-client/clock.ts';
import { createSvcClient, type SvcClientOptions } from '../../../src/svc-client/index.ts';
import type { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { testKeys } from './simulated-client.ts';
import {
  behindCheckpoint,
  type SimAnswer,
  type SimHandler,
  type SimulatedNetwork,
} from './simulated-network.ts';

/** The world a simulation runs in. Everything that happens follows from it and its seed. */
export interface World {
  readonly clock: VirtualClock;
  readonly network: SimulatedNetwork;
  readonly random: () => number;
}

/** Asks a service for a path. Every failure to get an answer becomes a 503, as a service would pass it on. */
export type Ask = (slugKey: string, path: string) => Promise<number>;

export interface Discipline {
  /** What a service asks others with, and how its own handler is put on the network. */
  join(
    world: World,
    slugKey: string,
    targets: readonly string[],
  ): { ask: Ask; guard(handler: SimHandler): SimHandler };
}

/** The address of a service on the simulated network. */
export function originOf(slugKey: string): string {
  return `http://${slugKey.replace('@', '-')}`;
}

type RailsOptions = Partial<Omit<SvcClientOptions, 'self' | 'targets'>> & {
  readonly timeoutMs: number;
  readonly passport?: boolean;
};

/** Services that call each other on our rails. Rates are out of the way: what is shown is retries and breakers. */
export function onRails({ timeoutMs, passport = true, ...options }: RailsOptions): Discipline {
  return {
    join(world, self, targets) {
      const pool = { ratePerSecond: 100_000, burst: 100_000 };
      const wanted = targets.map((slugKey) => {
        return [slugKey, { url: originOf(slugKey), timeoutMs, passport, pool }] as const;
      });
      const own = self === '' ? 'client@1' : self;
      const client = createSvcClient(
        {
          self: own,
          keys: testKeys,
          globalPool: pool,
          ...options,
          targets: Object.fromEntries(
            wanted.length === 0 ? [['nobody@1', { url: 'http://nobody' }]] : wanted,
          ),
        },
        { clock: world.clock, transport: world.network, random: world.random },
      );
      const ask: Ask = async (slugKey, path) => {
        try {
          const result = await client.call(slugKey, { path });
          return result.ok ? result.response.status : 503;
        } catch {
          return 503;
        }
      };
      return { ask, guard: (handler) => behindCheckpoint(client.checkpoint, handler) };
    },
  };
}

interface NaiveOptions {
  readonly attempts: number;
  readonly timeoutMs: number;
}

/** What most services do: a timeout, a few attempts with backoff and jitter, and no idea of what the others do. */
export function naively({ attempts, timeoutMs }: NaiveOptions): Discipline {
  return {
    join({ clock, network, random }) {
      const tryOnce = async (slugKey: string, path: string): Promise<number> => {
        const outcome = await network.open(originOf(slugKey)).send({
          method: 'GET',
          path,
          headers: {},
          body: null,
          startedAt: clock.now(),
          timeoutMs,
          deadlineMs: timeoutMs,
          stallMs: 10_000,
          signal: undefined,
          bodyEnded: () => {},
        });
        return outcome.kind === 'response' ? outcome.response.status : 503;
      };
      const ask: Ask = async (slugKey, path) => {
        for (let attempt = 1; ; attempt += 1) {
          const status = await tryOnce(slugKey, path);
          if (status < 500 || attempt === attempts) return status;
          await pause(clock, random() * 50 * 2 ** attempt);
        }
      };
      return { ask, guard: (handler) => handler };
    },
  };
}

/** A fixed number of workers with a queue in front, first come, first served. */
export class WorkerPool {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(workers: number) {
    this.#free = workers;
  }

  /** Runs the work when a worker is free. */
  async run(work: () => Promise<SimAnswer>): Promise<SimAnswer> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
