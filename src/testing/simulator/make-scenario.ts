import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import { Random } from '../random.ts';
import { crowd, habits, ownerHabit, type Pace } from './habits.ts';
import type { ActorPlan, Scenario, Trouble } from './scenario.ts';

/** A world as it follows from a seed. */
export function makeScenario(seed: number): Scenario {
  const random = new Random(`seed ${seed}`);
  const pace = makePace(random.fork('pace'));
  const nodes = random.fork('nodes');
  const troubles = makeTroubles(random.fork('troubles'), pace);
  return {
    seed,
    durationMs: pace.durationMs,
    nodes: Array.from({ length: nodes.between(1, 5) }, () => ({ skewMs: nodes.between(-HOUR_MS, HOUR_MS) })),
    actors: [
      ...makeActors(random.fork('actors'), pace),
      ...makeCrowds(random.fork('crowds'), pace, troubles),
    ],
    troubles,
    server: {
      latencyMs: [0, random.between(1, 4)],
      dropsExpired: random.chance(0.5),
      recordMs: random.chance(0.1) ? random.between(1, 20) * MINUTE_MS : null,
    },
    apiLimits: random.chance(0.5) ? { minor: 12, moderate: 20, severe: 40 } : null,
  };
}

/** Most worlds last minutes, in which stores fail; some last days, in which budgets do. */
function makePace(random: Random): Pace {
  return random.chance(0.75)
    ? {
        durationMs: random.between(10, 40) * MINUTE_MS,
        accounts: random.between(1, 4),
        moveMs: 30 * SECOND_MS,
      }
    : {
        durationMs: random.between(20, 50) * HOUR_MS,
        accounts: random.between(1, 2),
        moveMs: 40 * MINUTE_MS,
      };
}

function makeActors(random: Random, pace: Pace): ActorPlan[] {
  const owners = Array.from({ length: random.between(1, 2) }, (_, index) =>
    ownerHabit(random.fork(`owner ${index}`), pace),
  );
  const others = Array.from({ length: random.between(1, 4) }, (_, index) => {
    const own = random.fork(`actor ${index}`);
    return own.pick(habits)(own, pace);
  });
  return [...owners, ...others];
}

/** Most troubles meet a crowd, all of one scenario after the same thing. */
function makeCrowds(random: Random, pace: Pace, troubles: readonly Trouble[]): ActorPlan[] {
  const action = random.pick(['auth.login', 'auth.login', 'auth.otp', 'api.heavy']);
  return troubles
    .filter(() => random.chance(0.8))
    .map(({ atMs }, index) => crowd(random.fork(`${index}`), pace, atMs, action));
}

function makeTroubles(random: Random, pace: Pace): Trouble[] {
  if (random.chance(0.1)) return [];
  if (random.chance(0.25)) return flapping(random, pace);
  return Array.from({ length: random.between(1, 4) }, (_, index) =>
    makeTrouble(random.fork(`${index}`), pace),
  );
}

/** A store that goes and comes back often enough to meet the re-entry guard. */
function flapping(random: Random, { durationMs }: Pace): Trouble[] {
  const everyMs = random.between(5 * MINUTE_MS + 10 * SECOND_MS, 9 * MINUTE_MS);
  const firstMs = random.between(0, 3 * MINUTE_MS);
  const count = Math.min(6, Math.floor((durationMs - firstMs) / everyMs) + 1);
  return Array.from({ length: count }, (_, index) => ({
    kind: 'crash' as const,
    losesData: false,
    atMs: firstMs + index * everyMs,
    forMs: random.between(5 * SECOND_MS, 90 * SECOND_MS),
  }));
}

function makeTrouble(random: Random, { durationMs }: Pace): Trouble {
  const longestMs = Math.min(durationMs, 15 * MINUTE_MS);
  const when = {
    atMs: random.between(0, durationMs),
    forMs: random.pick([SECOND_MS, 10 * SECOND_MS, MINUTE_MS, random.between(MINUTE_MS, longestMs)]),
  };
  const share = random.pick([0.02, 0.2, 0.7, 1]);
  const node = random.between(0, 4);
  return random.pick<Trouble>([
    { ...when, kind: 'slow', extraMs: random.pick([10, 30, 100, 1_000]) },
    { ...when, kind: 'lose-requests', share },
    { ...when, kind: 'lose-replies', share },
    { ...when, kind: 'duplicate', share },
    { ...when, kind: 'conflict', share },
    { ...when, kind: 'cut', node, isRefused: random.chance(0.5) },
    { ...when, kind: 'crash', losesData: random.chance(0.5) },
    {
      ...when,
      kind: 'failover',
      lagMs: random.pick([0, 100, 5 * SECOND_MS, MINUTE_MS]),
      clockStepMs: random.pick([0, -SECOND_MS, 500, -MINUTE_MS]),
    },
    { ...when, kind: 'full', share },
    { ...when, kind: 'forget', share: random.pick([0.01, 0.3]) },
    { ...when, forMs: random.between(10, 60 * SECOND_MS), kind: 'pause', node },
  ]);
}
