import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attempt, AttemptOptions, Confidence, Guard, GuardRequest } from '../../src/index.ts';
import { createGuard } from '../../src/index.ts';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createPostgresStore } from '../../src/stores/postgres/index.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';

const secret = 'sixteen bytes or more';
const guesses = 1_000;
const account = 'victim';
const ownerDevice = { id: 'owner-device', confidence: 'HIGH' } as const;
const ownerIp = '198.51.100.7';

interface Attacker {
  readonly name: string;
  readonly ip: (guess: number) => string;
  readonly device: (guess: number) => { id: string; confidence: Confidence } | null;
  /**
   * Guesses after which no further one is answered differently for being right: the failures that lead to a HARD block
   * by the scores of the login policy.
   */
  readonly threshold: number;
}

const manyIps = (guess: number) => `203.0.${guess >> 8}.${guess & 255}`;

const attackers: readonly Attacker[] = [
  { name: 'from one address without a device', ip: () => '203.0.113.7', device: () => null, threshold: 2 },
  { name: 'from many addresses without a device', ip: manyIps, device: () => null, threshold: 3 },
  {
    name: 'from one address with many devices',
    ip: () => '203.0.113.7',
    device: (guess) => ({ id: `d${guess}`, confidence: 'MEDIUM' }),
    threshold: 3,
  },
  {
    name: 'from many addresses with many devices',
    ip: manyIps,
    device: (guess) => ({ id: `d${guess}`, confidence: 'LOW' }),
    threshold: 3,
  },
];

/** A small generator of numbers: a course of events can be had again by its seed. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** Looks at a password as slowly as a real check would, in whatever order. */
async function verifyAfter<T>(turns: number, answer: T): Promise<T> {
  for (let i = 0; i < turns; i += 1) await turn();
  return answer;
}

/** All guesses at once, over all nodes; the one at `right` has the password. */
function attack(nodes: readonly Guard[], attacker: Attacker, right: number, seed: number) {
  const dice = createDice(seed);
  return Promise.all(
    Array.from({ length: guesses }, (_, guess) => {
      const node = nodes[guess % nodes.length] ?? expect.unreachable();
      const request = {
        action: 'auth.login',
        account,
        ip: attacker.ip(guess),
        ua: null,
        device: attacker.device(guess),
      };
      const turns = dice(8);
      return node.attempt(request, () => verifyAfter(turns, guess === right ? 'the user' : null));
    }),
  );
}

/** Guesses whose credentials are looked at together: their ends come in their order, and none waits for another. */
async function endingTogether(guard: Guard, attacker: Attacker, right: number, options: AttemptOptions) {
  const count = 60;
  let begun = 0;
  let letAllEnd: () => void = () => undefined;
  const allBegun = new Promise<void>((resolve) => {
    letAllEnd = resolve;
  });
  return Promise.all(
    Array.from({ length: count }, (_, guess) => {
      const request = {
        action: 'auth.login',
        account,
        ip: attacker.ip(guess),
        device: attacker.device(guess),
      };
      const verify = async () => {
        begun += 1;
        if (begun === count) letAllEnd();
        await allBegun;
        return guess === right ? 'the user' : null;
      };
      return guard.attempt(request, verify, options);
    }),
  );
}

/** Guesses at once, of which the right one is looked at when all others have failed: their block has overtaken it. */
async function overtake(
  guard: Guard,
  requests: readonly GuardRequest[],
  right: number,
  options?: AttemptOptions,
): Promise<void> {
  const others: Promise<unknown>[] = [];
  const attempts = requests.map((request, guess) => {
    const verify = async () => {
      if (guess !== right) return null;
      await Promise.all(others);
      return 'the user';
    };
    const attempt = guard.attempt(request, verify, options);
    if (guess !== right) others.push(attempt);
    return attempt;
  });
  const { allowed } = (await Promise.all(attempts))[right] ?? expect.unreachable();
  expect(allowed).toBe(false);
}

/** Wrong guesses that a right one would have been told from: those before the HARD block, and the one that brought it. */
function telling(attempts: readonly Attempt<string>[]): number {
  return 1 + attempts.filter(({ allowed, decision }) => !allowed && decision.outcome !== 'HARD_BLOCK').length;
}

function owner(guard: Guard): Promise<Attempt<string>> {
  const request = { action: 'auth.login', account, ip: ownerIp, ua: null, device: ownerDevice };
  return guard.attempt(request, () => verifyAfter(2, 'the user'));
}

/** Guards on one store each, which share their records. */
type OpenNodes = () => Promise<{ nodes: readonly Guard[]; close(): Promise<void> }>;

function testGuesses(open: OpenNodes, seeds: readonly number[]): void {
  it.each(attackers)('tell an attacker $name no more than $threshold', async (attacker) => {
    for (const seed of seeds) {
      const { nodes, close } = await open();
      const right = createDice(seed)(guesses);
      const attempts = await attack(nodes, attacker, right, seed);
      expect(telling(attempts)).toBeLessThanOrEqual(attacker.threshold);
      expect(attempts.filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(1);
      const [first] = nodes;
      const again = await first?.attempt(
        { action: 'auth.login', account, ip: attacker.ip(1), ua: null, device: attacker.device(1) },
        () => 'the user',
      );
      expect(again).toMatchObject({ allowed: false, decision: { outcome: 'HARD_BLOCK' } });
      await close();
    }
  });

  it.each(attackers.filter(({ ip }) => ip === manyIps))(
    'leave an attacker $name no trace that tells the right one',
    async ({ ip, device }) => {
      for (const isLastFactor of [true, false]) {
        const { nodes, close } = await open();
        const [first = expect.unreachable()] = nodes;
        const from = (guess: number) => ({ action: 'auth.login', ip: ip(guess), device: device(guess) });
        const requests = Array.from({ length: 20 }, (_, guess) => ({ ...from(guess), account }));
        await overtake(first, requests, 5, { isLastFactor });
        const traces = [5, 10, 15].map(async (guess) => {
          const { outcome, level } = await first.fail({ ...from(guess), account: `somebody else ${guess}` });
          return `${outcome} ${level}`;
        });
        expect(new Set(await Promise.all(traces)).size).toBe(1);
        await close();
      }
    },
  );

  it('on as many accounts leave no trace on the one whose password it was', async () => {
    const { nodes, close } = await open();
    const [first = expect.unreachable()] = nodes;
    const on = (index: number) => ({ action: 'auth.login', account: `account ${index}`, device: null });
    const requests = Array.from({ length: 20 }, (_, index) => ({ ...on(index), ip: '203.0.113.7' }));
    await overtake(first, requests, 5);
    const traces = [5, 10, 15].map(async (index) => {
      const { outcome, level } = await first.fail({ ...on(index), ip: manyIps(index) });
      return `${outcome} ${level}`;
    });
    expect(new Set(await Promise.all(traces)).size).toBe(1);
    await close();
  });

  it.each(attackers)(
    'refuse the right one of an attacker $name that ends behind as many as the threshold',
    async (attacker) => {
      for (const isLastFactor of [true, false]) {
        for (const right of [attacker.threshold, 20, 59]) {
          const { nodes, close } = await open();
          const [first = expect.unreachable()] = nodes;
          const attempts = await endingTogether(first, attacker, right, { isLastFactor });
          expect({ isLastFactor, right, allowed: attempts[right]?.allowed }).toEqual({
            isLastFactor,
            right,
            allowed: false,
          });
          await close();
        }
      }
    },
  );

  it('let the right one in only before the threshold', async () => {
    const attacker = attackers[2] ?? expect.unreachable();
    let admitted = 0;
    for (const right of [0, 1, 2, 500, 999]) {
      const { nodes, close } = await open();
      const attempts = await attack(nodes, attacker, right, 7);
      const allowed = attempts.filter((attempt) => attempt.allowed).length;
      admitted += allowed;
      expect(telling(attempts)).toBeLessThanOrEqual(attacker.threshold);
      await close();
    }
    expect(admitted).toBeLessThan(5);
  });

  it('do not hurt the owner, who signs in meanwhile on a trusted device, also in parallel', async () => {
    const { nodes, close } = await open();
    const [first] = nodes;
    await first?.succeed({ action: 'auth.login', account, ip: ownerIp, device: ownerDevice });
    const attacker = attackers[1] ?? expect.unreachable();
    const [attempts, ...logins] = await Promise.all([
      attack(nodes, attacker, -1, 11),
      ...Array.from({ length: 50 }, (_, index) => owner(nodes[index % nodes.length] ?? expect.unreachable())),
    ]);
    expect(telling(attempts)).toBeLessThanOrEqual(attacker.threshold);
    expect(logins.every(({ allowed }) => allowed)).toBe(true);
    expect((await owner(nodes[0] ?? expect.unreachable())).allowed).toBe(true);
    await close();
  });
}

describe('a thousand guesses at once', () => {
  describe('on the memory store', () => {
    testGuesses(async () => {
      const guard = createGuard({ secret, store: createMemoryStore() });
      return { nodes: [guard], close: () => guard.close() };
    }, [1, 2, 3]);
  });

  describe('on the embedded store', () => {
    testGuesses(async () => {
      const path = mkdtempSync(join(tmpdir(), 'portcullis-guesses-'));
      const store = createLmdbStore({ path, deadlineMs: 20_000 });
      await store.ready();
      const guard = createGuard({ secret, store, failure: { deadlineMs: null } });
      const close = async () => {
        await guard.close();
        rmSync(path, { recursive: true });
      };
      return { nodes: [guard], close };
    }, [5]);
  });

  describe.runIf(isRedisInstalled())('on two nodes over Redis', () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedis();
    });
    afterAll(() => server.stop());

    testGuesses(async () => {
      await server.cli('FLUSHALL');
      // The machine may be busy; what happens when the store is late has tests of its own.
      const failure = { deadlineMs: null };
      const stores: Store[] = [];
      const nodes = Array.from({ length: 2 }, () => {
        const store = createRedisStore({ url: server.url, deadlineMs: 20_000 });
        stores.push(store);
        return createGuard({ secret, store, failure });
      });
      await Promise.all(stores.map((store) => store.ping()));
      return { nodes, close: async () => void (await Promise.all(nodes.map((node) => node.close()))) };
    }, [4]);
  });
});

describe('a thousand guesses at once over a database', () => {
  describe.runIf(postgresPrograms() !== null)('on PostgreSQL', () => {
    let server: PostgresServer;
    let opened = 0;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.stop());

    testGuesses(async () => {
      opened += 1;
      const store = createPostgresStore({
        connectionString: server.connectionString,
        schema: `guesses_${opened}`,
        deadlineMs: 20_000,
      });
      await store.ready();
      const guard = createGuard({ secret, store, failure: { deadlineMs: null } });
      return { nodes: [guard], close: () => guard.close() };
    }, [6]);
  });
});
