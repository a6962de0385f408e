import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CounterBackoff,
  type CounterBackoffOptions,
  createLoginBackoff,
} from '../../src/kratos/counter-backoff.ts';
import type { Verdict } from '../../src/kratos/verdict.ts';
import type { ExpiringCounters } from '../../src/stores/expiring-counters.ts';
import type { Store } from '../../src/stores/store.ts';

/** What a suite counts on; two handles, as two nodes have them. */
export interface CounterPlace {
  readonly nodes: readonly { readonly store: Store; readonly counters?: ExpiringCounters }[];
  close(): Promise<void>;
}

type Limits = Partial<CounterBackoffOptions>;

/** A place of its own in a shared store: fresh names for everybody. */
function scene(place: CounterPlace, keys: 'hmac' | 'plain', limits: Limits = {}) {
  const nodes = place.nodes.map(({ store, counters }) =>
    createLoginBackoff({
      store,
      counters,
      secret: 'a secret that is long enough',
      keys,
      failure: { deadlineMs: null },
      ...limits,
    }),
  );
  const [backoff, other] = nodes;
  if (backoff === undefined || other === undefined) throw new TypeError('A place has two nodes.');
  const mark = randomUUID();
  return { backoff, other, who: (name: string) => `${name}-${mark}@example.com`, from: freshAddress };
}

let addresses = 0;
function freshAddress(): string {
  addresses += 1;
  return `10.${process.pid % 250}.${Math.floor(addresses / 250) % 250}.${addresses % 250}`;
}

const attempts = async (
  backoff: CounterBackoff,
  identifier: string | null,
  ip: string | null,
  times: number,
) => {
  let verdict: Verdict | null = null;
  for (let attempt = 0; attempt < times; attempt += 1) {
    verdict = await backoff.attempt({ identifiers: identifier === null ? [] : [identifier], ip });
  }
  return verdict;
};

/** What every store must do for login backoff, with keys of both kinds. */
export function counterConformance(name: string, open: () => Promise<CounterPlace>, traces: number): void {
  describe.concurrent(`login backoff on ${name}`, () => {
    let place: CounterPlace;
    beforeAll(async () => {
      place = await open();
    });
    afterAll(() => place.close());

    describe.each(['hmac', 'plain'] as const)('with %s keys', (keys) => {
      test('ten attempts at an identifier are allowed, the eleventh is not', async () => {
        const { backoff, other, who } = scene(place, keys);
        const alice = who('alice');
        for (let attempt = 1; attempt <= 10; attempt += 1) {
          const node = attempt % 2 === 0 ? backoff : other;
          expect(await attempts(node, alice, null, 1)).toMatchObject({
            allowed: true,
            identifierAttempts: attempt,
            ipAttempts: 0,
          });
        }
        const verdict = await attempts(backoff, alice, null, 1);
        expect(verdict).toMatchObject({ allowed: false, reason: 'identifier', mode: 'NORMAL' });
        expect(await attempts(other, who('bob'), null, 1)).toMatchObject({ identifierAttempts: 1 });
      });

      test('twenty attempts from an address are allowed, the twenty-first is not', async () => {
        const { backoff, other, from } = scene(place, keys);
        const ip = from();
        expect(await attempts(backoff, null, ip, 20)).toMatchObject({ allowed: true, ipAttempts: 20 });
        expect(await attempts(other, null, ip, 1)).toMatchObject({ allowed: false, reason: 'ip' });
      });

      test('of two locks the longer one is told, in a tie the identifier', async () => {
        const limits = { maxIdentifierAttempts: 1, maxIpAttempts: 1 };
        const longerIp = scene(place, keys, {
          ...limits,
          identifierLockoutSeconds: 60,
          ipLockoutSeconds: 100,
        });
        const told = await attempts(longerIp.backoff, longerIp.who('a'), longerIp.from(), 2);
        expect(told).toMatchObject({ allowed: false, reason: 'ip' });
        expect(secondsOf(told)).toBeGreaterThan(60);
        expect(secondsOf(told)).toBeLessThanOrEqual(100);
        const longerId = scene(place, keys, {
          ...limits,
          identifierLockoutSeconds: 100,
          ipLockoutSeconds: 60,
        });
        const other = await attempts(longerId.backoff, longerId.who('a'), longerId.from(), 2);
        expect(other).toMatchObject({ allowed: false, reason: 'identifier' });
        expect(secondsOf(other)).toBeGreaterThan(60);
      });

      test('a window begins with its first attempt; what is blocked counts and prolongs nothing', async () => {
        const limits = { maxIdentifierAttempts: 1, maxIpAttempts: 2 };
        const { backoff, who, from } = scene(place, keys, {
          ...limits,
          identifierLockoutSeconds: 1,
          ipLockoutSeconds: 1,
        });
        const [alice, ip] = [who('alice'), from()];
        await attempts(backoff, alice, ip, 1);
        const startedAt = performance.now();
        const retries: number[] = [];
        while (performance.now() - startedAt < 700) {
          const verdict = await attempts(backoff, alice, ip, 1);
          if (verdict !== null && !verdict.allowed) retries.push(verdict.retryAfterSeconds);
          await sleep(100);
        }
        expect(retries).toEqual([...retries].sort((a, b) => b - a));
        await sleep(Math.max(0, 1_050 - (performance.now() - startedAt)));
        expect(await attempts(backoff, alice, ip, 1)).toMatchObject({
          allowed: true,
          identifierAttempts: 1,
          ipAttempts: 1,
        });
      });

      test('a success clears its identifier, and of its address only what it has added', async () => {
        const { backoff, other, who, from } = scene(place, keys);
        const [alice, bob, ip] = [who('alice'), who('bob'), from()];
        await attempts(backoff, alice, ip, 5);
        await attempts(other, bob, ip, 7);
        await attempts(backoff, null, ip, 1);
        await other.reset(alice, ip);
        expect(await attempts(backoff, alice, ip, 1)).toMatchObject({ identifierAttempts: 1, ipAttempts: 9 });
        await backoff.reset(bob, ip);
        expect(await attempts(backoff, bob, ip, 1)).toMatchObject({ identifierAttempts: 1, ipAttempts: 3 });
        await backoff.reset(bob, ip);
        await backoff.reset(bob, ip);
        expect(await attempts(backoff, null, ip, 1)).toMatchObject({ ipAttempts: 3 });
      });

      test("an attacker's own login does not clear the address", async () => {
        const { backoff, who, from } = scene(place, keys);
        const [mine, ip] = [who('attacker'), from()];
        for (let victim = 0; victim < 20; victim += 1) {
          await attempts(backoff, who(`victim ${victim}`), ip, 1);
          await backoff.attempt({ identifiers: [who(`victim ${victim}`), mine], ip });
          await backoff.reset(mine, ip);
        }
        expect(await attempts(backoff, mine, ip, 1)).toMatchObject({ allowed: false, reason: 'ip' });
      });

      test('with resetIp "all" a success clears both, as the origin does', async () => {
        const { backoff, who, from } = scene(place, keys, { resetIp: 'all' });
        const [alice, bob, ip] = [who('alice'), who('bob'), from()];
        await attempts(backoff, bob, ip, 7);
        await attempts(backoff, alice, ip, 2);
        await backoff.reset(alice, ip);
        expect(await attempts(backoff, alice, ip, 1)).toMatchObject({ identifierAttempts: 1, ipAttempts: 1 });
      });

      test('an attempt at several accounts is one at each of them', async () => {
        const { backoff, who, from } = scene(place, keys);
        const [alice, bob] = [who('alice'), who('bob')];
        await attempts(backoff, bob, null, 10);
        const verdict = await backoff.attempt({ identifiers: [alice, bob], ip: from() });
        expect(verdict).toMatchObject({ allowed: false, reason: 'identifier' });
        expect(await attempts(backoff, alice, null, 1)).toMatchObject({ identifierAttempts: 2 });
      });

      test('what never got through is taken back', async () => {
        const { backoff, other, who, from } = scene(place, keys);
        const login = {
          identifiers: [who('alice')],
          ip: from(),
          guesses: ['password'] as const,
          hasCredential: true,
          provesIdentifier: true,
          ua: null,
        };
        await backoff.attempt(login);
        for (let lost = 0; lost < 30; lost += 1) {
          const verdict = await backoff.attempt(login);
          expect(verdict).toMatchObject({ allowed: true, identifierAttempts: 2, ipAttempts: 2 });
          if (verdict.allowed) await other.settle(login, verdict, 'undelivered');
        }
        await backoff.reset(login.identifiers[0] ?? '', login.ip);
        expect(await backoff.attempt(login)).toMatchObject({ identifierAttempts: 1, ipAttempts: 1 });
      });

      test('in parallel, on two nodes, no more than the maximum get through', async () => {
        const { backoff, other, who, from } = scene(place, keys, { maxIpAttempts: 1_000 });
        const [alice, ip] = [who('alice'), from()];
        const verdicts = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            (index % 2 === 0 ? backoff : other).attempt({ identifiers: [alice], ip: index < 50 ? ip : null }),
          ),
        );
        expect(new Set(verdicts.map(({ mode }) => mode))).toEqual(new Set(['NORMAL']));
        expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10);
      });

      test('counts names as they are: long, strange, and with braces', async () => {
        const { backoff, who, from } = scene(place, keys);
        const ip = from();
        const names = ['{a}', '{}{b', 'x'.repeat(5_000), 'n\0l', '\ud800', 'ü\n', "'; --", '%s'].map(who);
        for (const name of names) {
          expect(await attempts(backoff, name, ip, 2)).toMatchObject({ identifierAttempts: 2 });
        }
        for (const name of names) await backoff.reset(name, ip);
        for (const name of names) {
          expect(await attempts(backoff, name, null, 1)).toMatchObject({ identifierAttempts: 1 });
        }
      });

      test('gives what a model of it gives, for any run of attempts and successes', async () => {
        const act = fc.record({
          op: fc.constantFrom('attempt', 'attempt', 'attempt', 'reset', 'lost'),
          names: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 0, maxLength: 2 }),
          address: fc.constantFrom('1', '2', null),
          node: fc.boolean(),
        });
        await fc.assert(
          fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 40 }), async (acts) => {
            const limits = { maxIdentifierAttempts: 3, maxIpAttempts: 5, resetOnSuccess: false };
            const { backoff, other, who, from } = scene(place, keys, limits);
            const model = new Model(3, 5);
            const addressOf: Record<string, string> = { 1: from(), 2: from() };
            for (const { op, names, address, node } of acts) {
              const ip = address === null ? null : (addressOf[address] ?? null);
              const on = node ? backoff : other;
              const identifiers = names.map(who);
              if (op === 'reset') {
                await on.reset(identifiers[0] ?? null, ip);
                model.reset(identifiers[0] ?? null, ip);
                continue;
              }
              if (identifiers.length === 0 && ip === null) continue;
              const login = { ...plainLogin, identifiers, ip };
              const verdict = await on.attempt(login);
              expect(shown(verdict)).toEqual(model.attempt(identifiers, ip));
              if (op === 'lost' && verdict.allowed) {
                await on.settle(login, verdict, 'undelivered');
                model.takeBack(identifiers, ip);
              }
            }
          }),
          { numRuns: traces },
        );
      });
    });
  });
}

const secondsOf = (verdict: Verdict | null): number =>
  verdict === null || verdict.allowed ? 0 : verdict.retryAfterSeconds;

const plainLogin = { guesses: ['password'] as const, hasCredential: true, provesIdentifier: false, ua: null };

const shown = (verdict: Verdict) =>
  verdict.allowed
    ? { identifierAttempts: verdict.identifierAttempts, ipAttempts: verdict.ipAttempts }
    : { isBlocked: true };

/** The rules once more, in the simplest way, for a time in which no window ends. */
class Model {
  readonly #most: { readonly identifier: number; readonly ip: number };
  readonly #identifiers = new Map<string, number>();
  /** By address: who has added how much; `*` for attempts that nobody can take back. */
  readonly #addresses = new Map<string, Map<string, number>>();

  constructor(identifier: number, ip: number) {
    this.#most = { identifier, ip };
  }

  attempt(identifiers: readonly string[], ip: string | null): object {
    this.#add(identifiers, ip, 1);
    const highest = Math.max(0, ...identifiers.map((identifier) => this.#identifiers.get(identifier) ?? 0));
    const ofAddress = ip === null ? 0 : this.#sum(ip);
    if (highest > this.#most.identifier || ofAddress > this.#most.ip) return { isBlocked: true };
    return { identifierAttempts: highest, ipAttempts: ofAddress };
  }

  takeBack(identifiers: readonly string[], ip: string | null): void {
    this.#add(identifiers, ip, -1);
  }

  reset(identifier: string | null, ip: string | null): void {
    if (identifier === null) return;
    this.#identifiers.delete(identifier);
    if (ip !== null) this.#addresses.get(ip)?.delete(identifier);
  }

  #add(identifiers: readonly string[], ip: string | null, by: number): void {
    for (const identifier of identifiers) {
      this.#identifiers.set(identifier, (this.#identifiers.get(identifier) ?? 0) + by);
    }
    if (ip === null) return;
    const shares = this.#addresses.get(ip) ?? new Map<string, number>();
    const sharer = identifiers.length === 1 ? (identifiers[0] ?? '*') : '*';
    shares.set(sharer, (shares.get(sharer) ?? 0) + by);
    this.#addresses.set(ip, shares);
  }

  #sum(ip: string): number {
    return [...(this.#addresses.get(ip)?.values() ?? [])].reduce((sum, share) => sum + share, 0);
  }
}
