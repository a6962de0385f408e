import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { reportText } from '../../src/cli/prove/report-text.ts';
import { runProve } from '../../src/cli/prove/run-prove.ts';
import { tracesOf, writeTraces } from '../../src/cli/prove/traces.ts';
import { parseEventLine } from '../../src/cli/replay/event-line.ts';
import { defaultLogin, defaultOtp, defaultPolicies, type Policy } from '../../src/core/policy.ts';
import { ownerSignals } from '../../src/testing/prover/cast.ts';
import { quickEffort } from '../../src/testing/prover/effort.ts';
import { BreachHunt } from '../../src/testing/prover/find-breaches.ts';
import { guarantees } from '../../src/testing/prover/guarantees/all.ts';
import { mostGuesses } from '../../src/testing/prover/most-guesses.ts';
import { beginning, START_MS } from '../../src/testing/prover/play.ts';
import { noRecords, ProofEngine } from '../../src/testing/prover/proof-engine.ts';
import { guaranteesOf, prove } from '../../src/testing/prover/prove.ts';
import { faceless, repeat } from '../../src/testing/prover/scenes.ts';
import { strategies } from '../../src/testing/prover/strategies.ts';
import { cli } from '../cli/cli-run.ts';
import { lockoutTables } from './lockout-tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-prove-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const policyFile = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** What the engine under proof decides on the lines, with its own times taken off. */
function provenDecisions(lines: readonly string[], policies: readonly Policy[]): unknown[] {
  const engine = new ProofEngine({ policies });
  let records = noRecords;
  return lines.map((line) => {
    const { t, op, cost, ...request } = parseEventLine(line);
    const { decision, after } = engine.perform(records, op, request, START_MS + t, cost);
    records = after;
    const since = (until: number) => (until === 0 ? 0 : until - START_MS);
    const reasons = decision.reasons.map((reason) => ({ ...reason, until: since(reason.until) }));
    return { t, ...decision, until: since(decision.until), reasons };
  });
}

const proof = prove({ policies: defaultPolicies, effort: quickEffort });
const worstOf = (name: string) => proof.policies.find(({ policy }) => policy === name)?.worst;

describe('the default policies', () => {
  it('break no guarantee within the bounds of a quick search', () => {
    expect(proof.policies.map(({ policy, broken }) => [policy, broken])).toEqual([
      ['login', []],
      ['otp', []],
      ['api', []],
    ]);
    expect(proof.brokenInOutages).toEqual([]);
    for (const { scenes } of proof.policies) {
      for (const { states, completeDepth } of scenes) {
        expect(states).toBeGreaterThan(500);
        expect(completeDepth).toBeGreaterThan(0);
      }
    }
  });

  it.each(['login', 'otp'])('%s: no strategy exceeds the bound, and the best comes near it', (name) => {
    const worst = worstOf(name);
    const bound = worst?.guessBound ?? 0;
    const guesses = new Map(worst?.guesses.map(({ strategy, guesses: count }) => [strategy.id, count]));
    for (const [id, count] of guesses) if (id !== 'known-device') expect(count).toBeLessThanOrEqual(bound);
    expect(guesses.get('anything')).toBeGreaterThanOrEqual(bound - 6);
    expect(guesses.get('known-device')).toBeGreaterThan(bound);
  });

  it('never keep a trusted device out while the owner lane is on, and every other one for a few requests', () => {
    for (const { ownerLane, owner, denials } of worstOf('login')?.sieges ?? []) {
      const isSpared = ownerLane && owner === 'trusted';
      expect(denials.map(({ requests }) => requests)).toEqual(isSpared ? [null, null, null] : [5, 8, 26]);
    }
  });

  it('let a budget stand before an owner for its duration and no longer', () => {
    for (const { longestMs, totalMs } of worstOf('login')?.budgets ?? []) {
      expect(longestMs).toBe(5 * 60_000);
      expect(totalMs).toBeLessThanOrEqual(24 * 5 * 60_000);
    }
    expect(worstOf('otp')?.budgets.map(({ totalMs }) => totalMs)).toEqual([0, 0, 0]);
  });

  it('are described by the page on lockout as they are', () => {
    const page = readFileSync(new URL('../../docs/concepts/lockout.md', import.meta.url), 'utf8');
    for (const table of Object.values(lockoutTables(proof))) expect(page).toContain(table);
    for (const { longestMs, totalMs } of worstOf('login')?.budgets ?? []) {
      expect(page).toContain(`for ${longestMs / 60_000} min in each hour`);
      expect(page).toContain(`${totalMs / 60_000} min of the first day`);
    }
  });

  it('give several hundred guesses a day when the ladder ends at level 3', () => {
    const policy = { ...defaultLogin, ladder: { ...defaultLogin.ladder, maxLevel: 3 } };
    const engine = new ProofEngine({ policies: [policy] });
    const anything = strategies.filter(({ id }) => id === 'anything');
    const search = { engine, policy, action: 'auth.login', width: 4, isOver: () => false };
    for (const strategy of anything) expect(mostGuesses(strategy, search).guesses).toBeGreaterThan(300);
  });

  it('are no findings where time was up', () => {
    const engine = new ProofEngine({ policies: [defaultLogin] });
    const search = { engine, policy: defaultLogin, action: 'auth.login', width: 4 };
    const [strategy] = strategies;
    if (strategy === undefined) throw new Error('There is a strategy.');
    expect(mostGuesses(strategy, { ...search, isOver: () => true })).toMatchObject({
      guesses: 0,
      isMore: true,
    });
    expect(mostGuesses(strategy, { ...search, isOver: () => false })).toMatchObject({ isMore: false });
    const told = (guesses: number) => {
      const cut = proof.policies.map((policy) => ({
        ...policy,
        worst: policy.worst && {
          ...policy.worst,
          guesses: [{ strategy, guesses, isMore: true, trail: null }],
        },
      }));
      return reportText({
        proof: { ...proof, policies: cut },
        seed: 1,
        policyFile: undefined,
        out: undefined,
      });
    };
    expect(told(0)).toContain(`${strategy.says}  not searched`);
    expect(told(7)).toContain(`${strategy.says}  7 at least`);
  });

  it('let a way of its own make a device trusted while the account is blocked, as the page says', () => {
    const recovery = { ...defaultOtp, name: 'recovery', actions: ['auth.recovery'] };
    const engine = new ProofEngine({ policies: [defaultLogin, recovery] });
    const besieged = repeat(engine, 'auth.login', beginning, faceless, 3, 1);
    const request = { ...ownerSignals('trusted'), action: 'auth.login' };
    const t = besieged.t + 1;
    expect(engine.perform(besieged.records, 'succeed', request, t).decision.outcome).toBe('HARD_BLOCK');
    const recovered = engine.perform(besieged.records, 'succeed', { ...request, action: 'auth.recovery' }, t);
    expect(recovered.decision.outcome).toBe('ALLOW');
    expect(engine.perform(recovered.after, 'succeed', request, t).decision.outcome).toBe('ALLOW');
    const stranger = { ...request, device: null };
    expect(engine.perform(recovered.after, 'check', stranger, t).decision.outcome).toBe('HARD_BLOCK');
  });
});

describe('traces', () => {
  it('are decided by replay as the proof has decided them', async () => {
    const traces = join(folder, 'traces');
    mkdirSync(traces);
    await writeTraces(traces, tracesOf(proof));
    const other = defaultPolicies.map((policy) => ({ ...policy, ownerLane: false }));
    const laneOff = policyFile(
      'off.yaml',
      'policies: { login: { ownerLane: false }, otp: { ownerLane: false } }',
    );
    const names = readdirSync(traces);
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const text = readFileSync(join(traces, name), 'utf8');
      const isOther = name.includes('-lane-off-');
      const asked = isOther ? ['--policy', laneOff] : [];
      const { code, stdout } = await cli(['replay', '-', ...asked], text);
      expect([name, code]).toEqual([name, 0]);
      const decided = stdout
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      expect(decided).toEqual(provenDecisions(text.trim().split('\n'), isOther ? other : defaultPolicies));
      if (name.includes('-lane-')) {
        const last = decided.slice(-2) as { outcome: string; deferred: boolean }[];
        for (const { outcome, deferred } of last)
          expect([name, outcome !== 'ALLOW' && !deferred]).toEqual([name, true]);
      }
    }
  });
});

describe('the page on the command line', () => {
  it('lists every guarantee as it is', () => {
    const page = readFileSync(new URL('../../docs/reference/command-line.md', import.meta.url), 'utf8');
    for (const { id, says } of guaranteesOf(defaultLogin)) expect(page).toContain(`| \`${id}\` | ${says} |`);
    for (const { id } of proof.outages) expect(page).toContain(`| \`${id}\` |`);
  });
});

describe('the command', () => {
  const tiny = ['--effort', 'quick', '--depth', '1', '--seconds', '1'];

  it('ends with 1 and a command that replays the breach when a guarantee is broken', async () => {
    const path = policyFile('absurd.yaml', 'policies: { login: { score: { missingDevice: 0 } } }');
    const { code, stdout, stderr } = await cli(['prove', '--policy', path, ...tiny]);
    expect(code).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).toContain('broken: missing-device-counts');
    const [, heredoc = ''] = /<<'EVENTS'[^\n]*\n(.*?)EVENTS\n/s.exec(stdout) ?? [];
    expect((await cli(['replay', '-', '--policy', path], heredoc)).code).toBe(0);
  });

  it('reports as JSON what was held, broken and searched', async () => {
    const { code, stdout } = await cli(['prove', '--json', ...tiny]);
    const { seed, policies, outages } = JSON.parse(stdout);
    expect([code, seed]).toEqual([0, 1]);
    expect(policies.map(({ policy }: { policy: string }) => policy)).toEqual(['login', 'otp', 'api']);
    expect(policies[0].guarantees).toHaveLength(13);
    expect(outages).toHaveLength(4);
  });

  it.each([
    [['--depth', '0'], /whole number from 1 to 12/],
    [['--seconds', 'soon'], /whole number from 1 to 86400/],
    [['--effort', 'some'], /quick, full/],
    [['--policy', '/nowhere.yaml'], /nowhere/],
    [['--out', '/proc/nowhere/traces'], /^portcullis: --out: \/proc\/nowhere: mkdir failed with ENOENT/],
    [['--out', '/dev/null'], /^portcullis: --out: \/dev\/null: mkdir failed with EEXIST/],
  ])('ends with 2 on %j', async (args, message) => {
    const { code, stderr } = await cli(['prove', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it.each([
    ['a pipe that nobody reads', (place: string) => execFileSync('mkfifo', [place]), 'ENXIO'],
    ['a folder', (place: string) => mkdirSync(place), 'EISDIR'],
  ])('ends with 2 where %s has the name of a trace', async (_, occupy, code) => {
    const traces = mkdtempSync(join(folder, 'occupied-'));
    occupy(join(traces, 'login-budget-known.jsonl'));
    const run = await cli(['prove', ...tiny, '--out', traces]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(
      new RegExp(`^portcullis: --out: .*budget-known.jsonl: open failed with ${code}`),
    );
  });

  it('shows its progress on a terminal, and only there', async () => {
    const effort = { depth: 1, maxStates: 20, walks: 1, width: 1, maxRequests: 1, outageDepth: 1 };
    const shown = async (isTerminal: boolean) => {
      const texts = { stdout: '', stderr: '' };
      const sink = (name: keyof typeof texts) =>
        new Writable({
          write: (chunk, _, done) => {
            texts[name] += String(chunk);
            done();
          },
        });
      const io = { stdin: process.stdin, stdout: sink('stdout'), stderr: sink('stderr'), isTerminal };
      const options = { policies: [defaultLogin], seed: 1, json: false, effort, clock: () => 0 };
      expect(await runProve(options, io)).toBe(0);
      return texts;
    };
    const [terminal, pipe] = [await shown(true), await shown(false)];
    expect(terminal.stderr).toContain('login: siege of an account');
    expect(pipe.stderr).toBe('');
    expect(pipe.stdout).toBe(terminal.stdout);
  });

  it('finds the same again', () => {
    const effort = { ...quickEffort, depth: 2, maxStates: 200, walks: 40 };
    const run = (seed: number) => {
      const engine = new ProofEngine({ policies: [defaultLogin] });
      const hunt = new BreachHunt({ ...search, engine, effort, seed });
      return JSON.stringify([hunt.exhaust(), hunt.walk(), engine.operations]);
    };
    expect(run(7)).toBe(run(7));
    expect(run(7)).not.toBe(run(8));
  });
});

const search = {
  policy: defaultLogin,
  action: 'auth.login',
  guarantees,
  isOver: () => false,
  onPart: () => {},
};
