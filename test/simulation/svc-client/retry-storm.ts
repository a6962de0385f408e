import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { seededRandom } from './prng.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { type Discipline, naively, onRails, originOf, type World } from './simulated-service.ts';

/** How the service at the bottom fails. */
export type Failure = '503' | 'refused' | 'silent';

export interface Storm {
  readonly discipline: Discipline;
  readonly failure: Failure;
  readonly ratePerSecond: number;
  readonly seconds: number;
  /** From when to when the bottom fails, in seconds. */
  readonly outage: readonly [number, number];
  readonly seed: number;
}

export interface StormReport {
  /** Requests that users made, by second. */
  readonly offered: readonly number[];
  /** Requests that reached the service at the bottom, by second. */
  readonly arrived: readonly number[];
  /** Attempts at the bottom per request of a user, over all. */
  readonly amplification: number;
  /** Users that got a good answer. */
  readonly served: number;
}

/** Three layers of clients over one service: user → web → orders → stock, where stock fails. */
const [web, orders, stock] = ['web@1', 'orders@1', 'stock@1'] as const;

const stormTimeoutMs = 500;

export const disciplines = {
  /** Three attempts at each of three layers: 27 in all. */
  naive: naively({ attempts: 3, timeoutMs: stormTimeoutMs }),
  /** Our client without passports: each layer has its own budgets and knows nothing of the others. */
  alone: onRails({ timeoutMs: stormTimeoutMs, passport: false }),
  /** Our client. */
  passport: onRails({ timeoutMs: stormTimeoutMs }),
} as const;

/** Plays a storm from its seed. The same storm always ends in the same report. */
export async function playStorm(storm: Storm): Promise<StormReport> {
  const clock = new VirtualClock();
  const world: World = { clock, network: new SimulatedNetwork(clock), random: seededRandom(storm.seed) };
  const offered = Array.from({ length: storm.seconds }, () => 0);
  const arrived = Array.from({ length: storm.seconds }, () => 0);
  const count = (perSecond: number[]) => {
    const second = Math.min(storm.seconds - 1, Math.floor(clock.now() / 1_000));
    perSecond[second] = (perSecond[second] ?? 0) + 1;
  };
  host(world, storm, () => count(arrived));
  const { ask } = storm.discipline.join(world, '', [web]);
  let served = 0;
  const user = async () => {
    count(offered);
    if ((await ask(web, '/')) === 200) served += 1;
  };
  const gapMs = 1_000 / storm.ratePerSecond;
  for (let i = 0; i < storm.ratePerSecond * storm.seconds; i += 1) clock.after(i * gapMs, () => void user());
  await clock.advance(storm.seconds * 1_000 + 60_000);
  return { offered, arrived, amplification: sum(arrived) / sum(offered), served };
}

function host(world: World, { discipline, failure, outage }: Storm, arrive: () => void): void {
  const { clock, network } = world;
  const forward = (self: string, next: string) => {
    const { ask, guard } = discipline.join(world, self, [next]);
    network.host(
      originOf(self),
      guard(async () => ({ status: await ask(next, '/') })),
    );
  };
  forward(web, orders);
  forward(orders, stock);
  const { guard } = discipline.join(world, stock, []);
  const fails = () => clock.now() >= outage[0] * 1_000 && clock.now() < outage[1] * 1_000;
  const answer = guard(async () => ({ status: fails() ? 503 : 200 }));
  network.host(originOf(stock), async (request) => {
    arrive();
    if (fails() && failure === 'silent') return new Promise(() => undefined);
    if (fails() && failure === 'refused') return 'refused';
    return answer(request);
  });
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
