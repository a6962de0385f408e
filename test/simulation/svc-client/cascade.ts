import { pause } from '../../../src/svc-client/clock.ts';
import { currentJourney } from '../../../src/svc-client/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { seededRandom } from './prng.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { type Discipline, naively, onRails, originOf, WorkerPool, type World } from './simulated-service.ts';

/**
 * A failure that spreads. Users ask a shop for two things: pages that need the stock service, and pages that do not.
 * For ten seconds stock is twenty times slower. The question is what happens to the other pages meanwhile, and to
 * all of them afterwards.
 */
export interface Cascade {
  readonly discipline: Discipline;
  readonly seconds: number;
  /** From when to when stock is slow, in seconds. */
  readonly slow: readonly [number, number];
  readonly seed: number;
}

export interface CascadeReport {
  /** Users of pages that need stock who got a good answer in time, by second of asking. */
  readonly withStock: readonly number[];
  /** The same for pages that do not need it. */
  readonly withoutStock: readonly number[];
  /** Requests that reached stock, by second. */
  readonly arrived: readonly number[];
}

export const cascadeRates = { withStock: 150, withoutStock: 100 } as const;

const [shop, stock] = ['shop@1', 'stock@1'] as const;
const timeoutMs = 500;
/** Users wait this long. */
const patienceMs = 2_000;
/** Stock: 8 workers of 20 ms each serve 400 a second; slow, they serve 20. */
const stockPool = { workers: 8, usualMs: 20, slowMs: 400 };
/** The shop: 60 workers, each held for as long as its page takes. */
const shopPool = { workers: 60, pageMs: 5 };

export const cascadeDisciplines = {
  naive: naively({ attempts: 3, timeoutMs }),
  rails: onRails({ timeoutMs, deadlineMs: patienceMs }),
} as const;

/** Plays a cascade from its seed. */
export async function playCascade(cascade: Cascade): Promise<CascadeReport> {
  const clock = new VirtualClock();
  const world: World = { clock, network: new SimulatedNetwork(clock), random: seededRandom(cascade.seed) };
  const empty = () => Array.from({ length: cascade.seconds }, () => 0);
  const report = { withStock: empty(), withoutStock: empty(), arrived: empty() };
  const count = (perSecond: number[], at: number) => {
    const second = Math.floor(at / 1_000);
    if (second < cascade.seconds) perSecond[second] = (perSecond[second] ?? 0) + 1;
  };
  hostShop(world, cascade);
  hostStock(world, cascade, () => count(report.arrived, clock.now()));
  const { ask } = cascade.discipline.join(world, '', [shop]);
  const user = async (path: string, perSecond: number[]) => {
    const askedAt = clock.now();
    const status = await ask(shop, path);
    if (status === 200 && clock.now() - askedAt <= patienceMs) count(perSecond, askedAt);
  };
  const arrivals = (path: string, perSecond: number[], rate: number) => {
    for (let i = 0; i < rate * cascade.seconds; i += 1) {
      clock.after((i + world.random()) * (1_000 / rate), () => void user(path, perSecond));
    }
  };
  arrivals('/with-stock', report.withStock, cascadeRates.withStock);
  arrivals('/without-stock', report.withoutStock, cascadeRates.withoutStock);
  await clock.advance(cascade.seconds * 1_000);
  return report;
}

/** Whether the caller still waits for the answer. Without a passport nobody can know, and the work is done. */
function isAwaited(world: World): boolean {
  return (currentJourney()?.deadlineAt ?? Number.POSITIVE_INFINITY) > world.clock.now();
}

function hostShop(world: World, { discipline }: Cascade): void {
  const { ask, guard } = discipline.join(world, shop, [stock]);
  const pool = new WorkerPool(shopPool.workers);
  const page = async (path: string) => {
    await pause(world.clock, shopPool.pageMs);
    return { status: path === '/with-stock' ? await ask(stock, '/') : 200 };
  };
  const handler = guard(({ path }) =>
    pool.run(async () => (isAwaited(world) ? page(path) : { status: 504 })),
  );
  world.network.host(originOf(shop), handler);
}

function hostStock(world: World, { discipline, slow }: Cascade, arrive: () => void): void {
  const { guard } = discipline.join(world, stock, []);
  const pool = new WorkerPool(stockPool.workers);
  const serviceMs = () => {
    const now = world.clock.now();
    return now >= slow[0] * 1_000 && now < slow[1] * 1_000 ? stockPool.slowMs : stockPool.usualMs;
  };
  const look = async () => {
    if (!isAwaited(world)) return { status: 504 };
    await pause(world.clock, serviceMs());
    return { status: 200 };
  };
  const handler = guard(() => pool.run(look));
  world.network.host(originOf(stock), (request) => {
    arrive();
    return handler(request);
  });
}
