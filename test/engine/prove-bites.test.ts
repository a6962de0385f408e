import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { policiesOf } from '../../src/cli/engine-options.ts';
import { type CredentialPolicy, defaultLogin } from '../../src/core/policy.ts';
import { noteFailure } from '../../src/guard/failure/breaker.ts';
import { defaultBreaker } from '../../src/guard/failure/failure-policy.ts';
import { quickEffort } from '../../src/testing/prover/effort.ts';
import { eventLines, eventsOf } from '../../src/testing/prover/events.ts';
import { BreachHunt } from '../../src/testing/prover/find-breaches.ts';
import { guarantees } from '../../src/testing/prover/guarantees/all.ts';
import { boundedAbuse, killSwitch } from '../../src/testing/prover/outage.ts';
import { ProofEngine, type RunOperation } from '../../src/testing/prover/proof-engine.ts';
import { guaranteesOf } from '../../src/testing/prover/prove.ts';
import { newcomer } from '../../src/testing/prover/scenes.ts';
import { findUnboundedGuesses, guessesAreBounded } from '../../src/testing/prover/worst-cases.ts';
import { cli } from '../cli/cli-run.ts';
import { absurdPolicies, boundless, brokenEngines } from './prove-breakages.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-prove-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const action = 'auth.login';
const isOver = () => false;
const onPart = () => {};

async function loginOf(file: string): Promise<{ path: string; policy: CredentialPolicy }> {
  const path = join(folder, 'policy.yaml');
  writeFileSync(path, file);
  const policy = (await policiesOf(path)).find(({ name }) => name === 'login');
  if (policy?.kind !== 'credential') expect.fail('there is no policy login');
  return { path, policy };
}

function hunt(policy: CredentialPolicy, id: string, run?: RunOperation) {
  const engine = new ProofEngine({ policies: [policy], run });
  const wanted = guarantees.filter((guarantee) => guarantee.id === id);
  const search = { engine, policy, action, guarantees: wanted, effort: quickEffort, seed: 1, isOver, onPart };
  const hunted = new BreachHunt(search);
  hunted.exhaust();
  if (hunted.breaches.length === 0) hunted.walk();
  return { engine, breach: hunted.breaches[0] };
}

describe('each guarantee bites', () => {
  it('has a breakage for every guarantee', () => {
    const covered = [...absurdPolicies, ...brokenEngines].map(({ breaks }) => breaks);
    expect(new Set([...covered, guessesAreBounded.id])).toEqual(
      new Set(guaranteesOf(defaultLogin).map(({ id }) => id)),
    );
  });

  it.each(absurdPolicies)('$breaks: $file', async ({ breaks, file }) => {
    const { path, policy } = await loginOf(file);
    const { engine, breach } = hunt(policy, breaks);
    expect(breach?.guarantee.id).toBe(breaks);
    const events = eventsOf(engine, action, breach?.trail ?? null);
    expect(events.length).toBeGreaterThan(0);
    expect(events.length).toBeLessThanOrEqual(70);
    const { code, stdout } = await cli(['replay', '-', '--policy', path], eventLines(events));
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(events.length);
  });

  it.each(brokenEngines)('$breaks: $name', ({ breaks, run }) => {
    expect(hunt(defaultLogin, breaks, run).breach?.guarantee.id).toBe(breaks);
  });

  it('guesses-are-bounded: a score that leads to nothing', async () => {
    const { policy } = await loginOf(boundless);
    const effort = quickEffort;
    expect(findUnboundedGuesses({ policy, action, effort, isOver, onPart })?.what).toMatch(
      /guesses within an hour/,
    );
    expect(findUnboundedGuesses({ policy: defaultLogin, action, effort, isOver, onPart })).toBeNull();
  });

  it('the shortest way to break the owner lane is three guesses and the owner', async () => {
    const { policy } = await loginOf('policies: { login: { ownerLane: false } }');
    const { engine, breach } = hunt(policy, 'trusted-owner-gets-in');
    const events = eventsOf(engine, action, breach?.trail ?? null);
    const owner = events.filter(({ device }) => device?.confidence === 'HIGH');
    expect(events.filter(({ op }) => op === 'fail').length).toBeLessThanOrEqual(3);
    expect(owner.map(({ op }) => op)).toEqual(['check', 'succeed', 'check']);
  });
});

describe('promises about outages bite', () => {
  const engine = new ProofEngine({ policies: [defaultLogin] });
  const request = (turn: number) => engine.request({ action, ...newcomer.signals(turn) });

  it('outage-is-no-kill-switch: a breaker that stays shut too long, or never closes', () => {
    expect(killSwitch().search(6).what).toBeNull();
    expect(killSwitch({ ...defaultBreaker, shutMs: 40 * 60_000 }).search(6).what).toMatch(/^shut for/);
    const stuck = killSwitch(defaultBreaker, { ...machine, advance: (breaker) => breaker });
    expect(stuck.search(2).what).toMatch(/does not close/);
  });

  const machine = {
    noteFailure,
    noteProbe: (breaker: Parameters<typeof noteFailure>[0]) => breaker,
    advance: (breaker: Parameters<typeof noteFailure>[0]) => breaker,
    phaseOf: () => 'degraded' as const,
  };

  it('outage-abuse-is-bounded: caps that let everybody through', () => {
    expect(boundedAbuse(request).search(4).what).toBeNull();
    const open = () => ({ judge: () => ({ over: [], counted: true }) });
    expect(boundedAbuse(request, open).search(4).what).toBe('4 attempts within 600000 ms were let through');
  });
});
