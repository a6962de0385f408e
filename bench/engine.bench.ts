import { randomBytes } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { defaultPolicies } from '../src/core/policy.ts';
import { Engine } from '../src/guard/engine.ts';
import { runImmediately } from '../src/guard/run.ts';
import type { GuardRequest } from '../src/guard/signals.ts';
import { createIdentifier } from '../src/identity/identifier.ts';
import { createGuard } from '../src/index.ts';
import { createMemoryStore } from '../src/stores/memory/index.ts';
import { mediansOf, type Report } from './runner.ts';

/**
 * A full login failure against what others do for one: four counters (account, account + device, IP, IP + agent).
 * Subjects come back once an hour of virtual time, so that no block cuts the work short: every failure runs all rules.
 * It begins in our days, since times that fit into 31 bits would be cheaper than any that a host sees. We know some kilobytes
 * of each subject and a counter some bytes: with few of them all of that lies in the cache of the core, with many it does
 * not, and how much of the next cache is left to us others on the machine decide.
 */

const subjectCounts = [100, 1_000];
const FAILURES_PER_ROUND = 100_000;
const HOUR_MS = 3_600_000;
const BEGIN = Date.UTC(2026, 0, 1);
const ROUNDS = 5;
const UA =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36';

const subjectsOf = (count: number): readonly GuardRequest[] =>
  Array.from({ length: count }, (_, index) => ({
    action: 'auth.login',
    account: `account-${index}`,
    ip: `10.0.${index >> 8}.${index & 255}`,
    ua: UA,
    device: { id: `device-${index}`, confidence: 'MEDIUM' as const },
  }));

const perSecond = (count: number, startedAt: number): number =>
  count / ((performance.now() - startedAt) / 1_000);

type Subjects = readonly GuardRequest[];

/** Runs `each` over the subjects, in order, again and again; gives operations per second. */
function immediateRound(subjects: Subjects, each: (subject: GuardRequest) => void): number {
  const startedAt = performance.now();
  for (let count = 0; count < FAILURES_PER_ROUND; count += 1) {
    each(subjects[count % subjects.length] as GuardRequest);
  }
  return perSecond(FAILURES_PER_ROUND, startedAt);
}

async function promisedRound(
  subjects: Subjects,
  each: (subject: GuardRequest) => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  for (let count = 0; count < FAILURES_PER_ROUND; count += 1) {
    await each(subjects[count % subjects.length] as GuardRequest);
  }
  return perSecond(FAILURES_PER_ROUND, startedAt);
}

function virtualTime({ length }: Subjects) {
  let calls = 0;
  return { clock: () => BEGIN + Math.floor(calls / length) * HOUR_MS, tick: () => (calls += 1) };
}

function guardRound(subjects: Subjects) {
  const { clock, tick } = virtualTime(subjects);
  const guard = createGuard({ secret: randomBytes(32), store: createMemoryStore({ clock }) });
  return () =>
    promisedRound(subjects, (subject) => {
      tick();
      return guard.fail(subject);
    });
}

function engineRound(subjects: Subjects) {
  const { clock, tick } = virtualTime(subjects);
  const store = createMemoryStore({ clock }).immediate;
  const engine = new Engine({
    identifier: createIdentifier({ secret: randomBytes(32) }),
    policies: defaultPolicies,
    environment: 'bench',
  });
  return () =>
    immediateRound(subjects, (subject) => {
      tick();
      runImmediately(store, engine.prepare('fail', subject).operation, clock());
    });
}

function flexibleRound(subjects: Subjects) {
  const limiters = [1, 2, 3, 4].map(
    (n) => new RateLimiterMemory({ keyPrefix: `k${n}`, points: 1e9, duration: 86_400 }),
  );
  const keysOf = ({ account, ip, ua, device }: GuardRequest) => [
    account ?? '',
    `${account}:${device?.id}`,
    ip,
    `${ip}:${ua}`,
  ];
  return () =>
    promisedRound(subjects, (subject) => {
      const keys = keysOf(subject);
      return Promise.all(limiters.map((limiter, n) => limiter.consume(keys[n] as string)));
    });
}

function mapRound(subjects: Subjects) {
  const counters = [1, 2, 3, 4].map(() => new Map<string, number>());
  return () =>
    immediateRound(subjects, ({ account, ip, ua, device }) => {
      const keys = [account ?? '', `${account}:${device?.id}`, ip, `${ip}:${ua}`];
      for (const [n, counter] of counters.entries()) {
        const key = keys[n] as string;
        counter.set(key, (counter.get(key) ?? 0) + 1);
      }
    });
}

export async function run(report: Report): Promise<void> {
  for (const count of subjectCounts) await compare(report, subjectsOf(count));
}

async function compare(report: Report, subjects: Subjects): Promise<void> {
  const contenders = [flexibleRound, mapRound, guardRound, engineRound].map((open) => open(subjects));
  const [flexible = 0, map = 0, guard = 0, engine = 0] = await mediansOf(ROUNDS, contenders);
  const peer = 'rate-limiter-flexible 11 memory ×4';
  const of = `login failure, ${subjects.length.toLocaleString('en')} subjects`;
  const direct = `${of}, engine without promises (ops/s)`;
  report({ metric: `${of}, guard on memory (ops/s)`, ours: guard, peer, peerValue: flexible });
  report({ metric: direct, ours: engine, peer, peerValue: flexible });
  report({ metric: direct, ours: engine, peer: 'bare Map counter ×4', peerValue: map });
}
