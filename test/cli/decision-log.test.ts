import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultPolicies } from '../../src/core/policy.ts';
import { assembleGuard } from '../../src/guard/guard.ts';
import { createIdentifier } from '../../src/identity/identifier.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { decisionLogLine, droppedLine } from '../../src/telemetry/decision-log/log-line.ts';
import { Traffic } from '../engine/traffic.ts';
import { cli } from './cli-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-decisions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const replay = (input: string | Uint8Array, ...args: string[]) =>
  cli(['replay', '-', '--format', 'decisions', ...args], input);

/** Decides random traffic and gives the log of it, and each decision as replay prints it. */
async function decided(seed: number, events: number, secret = 'a secret of some length') {
  const lines: string[] = [];
  const printed: object[] = [];
  let time = 0;
  const guard = assembleGuard({
    store: createMemoryStore({ clock: () => time, sweptBy: () => Number.NEGATIVE_INFINITY }),
    identifier: createIdentifier({ secret }),
    policies: defaultPolicies,
    environment: 'test',
    witness: (call) => void lines.push(decisionLogLine(call)),
  });
  const traffic = new Traffic(seed);
  for (let n = 0; n < events; n += 1) {
    const { t, op, cost, action = 'auth.login', ...signals } = traffic.next();
    time = t;
    const request = { action, ...signals };
    const decision =
      op === 'consume' ? await guard.consume(request, cost, { at: t }) : await guard[op](request, { at: t });
    traffic.heard({ t, reasons: decision.reasons });
    printed.push({ t, ...decision });
  }
  return { lines, log: lines.join(''), printed };
}

const printedIn = (stdout: string): object[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);

describe('a decision log', () => {
  it.each(Array.from({ length: 24 }, (_, seed) => seed))(
    'is replayed to the same decisions, reasons and all, over months of traffic: seed %i',
    async (seed) => {
      const { log, printed } = await decided(seed, 250);
      const { code, stdout, stderr } = await replay(log);
      expect([code, stderr]).toEqual([0, '']);
      expect(printedIn(stdout)).toEqual(printed);
    },
  );
});

const isDecision = (line: string): boolean => line.includes('"mode":"NORMAL"');
const summaryOf = async (log: string, ...args: string[]) => {
  const { stdout } = await replay(log, '--summary', '--quiet', '--json', ...args);
  return JSON.parse(stdout).summary;
};

describe('replay of a decision log', () => {
  it('sums up, and says that every decision is the one that was taken', async () => {
    const { log, printed } = await decided(3, 200);
    const { stdout } = await replay(log, '--summary', '--quiet');
    expect(stdout).toContain(`${printed.length} events`);
    expect(stdout).toContain('every decision is the one that was taken');
    expect(await summaryOf(log)).toMatchObject({ events: 200, badLines: 0, taken: { differing: 0 } });
  });

  it('reads gzip', async () => {
    const { log } = await decided(3, 100);
    const plain = await replay(log);
    expect(await replay(gzipSync(log))).toEqual(plain);
  });

  it('takes the configuration of a service as its policy, and shows what it changes', async () => {
    const policy = join(folder, 'service.yaml');
    writeFileSync(policy, 'store: memory\npolicies: { login: { score: { newDevice: 8 } } }\n');
    const { log } = await decided(0, 250);
    const { taken } = await summaryOf(log, '--policy', policy);
    expect(taken.otherOutcomes).toBeGreaterThan(0);
    expect(taken.differing).toBeGreaterThanOrEqual(taken.otherOutcomes);
    const { stdout } = await replay(log, '--policy', policy, '--summary', '--quiet');
    expect(stdout).toContain(
      `${taken.differing} decisions differ from those that were taken, first at line ${taken.firstDiffering}; ${taken.otherOutcomes} have another outcome`,
    );
  });

  it('leaves out what was decided without the store, and what is missing, and says so', async () => {
    const { lines } = await decided(4, 20);
    const changed = lines.map((line, n) =>
      n === 3 ? line.replace('"mode":"NORMAL"', '"mode":"DEGRADED"') : line,
    );
    const log = [...changed, droppedLine(9, 40)].join('');
    expect(await summaryOf(log)).toMatchObject({ events: 19, taken: { withoutStore: 1, missing: 40 } });
    const { code, stdout, stderr } = await replay(log);
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 19]);
    expect(stderr).toBe(
      'portcullis: 1 decision was taken without the store and is left out\n' +
        'portcullis: 40 decisions are missing: the service could not write them\n',
    );
  });

  it('notices that a log spans two secrets', async () => {
    const before = await decided(6, 10);
    const after = await decided(6, 10, 'another secret of some length');
    const { taken } = await summaryOf(before.log + after.log);
    expect(taken).toMatchObject({ secretChanges: 1, firstSecretChange: 11 });
    const { stdout } = await replay(before.log + after.log, '--summary', '--quiet');
    expect(stdout).toContain('the secret changes at line 11: from there on nobody is known');
  });

  it.each([
    ['half a line', (line: string) => line.slice(0, 40), 'not valid JSON'],
    ['an event', () => '{"t":1,"op":"fail","account":"a","ip":"192.0.2.1"}\n', 'v must be'],
    ['another version', (line: string) => line.replace('/1', '/2'), 'which this version does not read'],
    [
      'an identifier',
      (line: string) => line.replace(/"network":"[^"]*"/, '"network":"192.0.2.1"'),
      'network must be a hash',
    ],
    [
      'an unknown action',
      (line: string) => line.replace(/"action":"[^"]*"/, '"action":"auth.door"'),
      'action must be one',
    ],
    [
      'a check without an account',
      (line: string) =>
        line.replace(/"account":"[^"]*",/, '').replace(/"action":"[^"]*"/, '"action":"auth.login"'),
      'account must be there',
    ],
    [
      'an operation of another policy',
      (line: string) =>
        line.replace(/"op":"[^"]*"/, '"op":"consume"').replace(/"action":"[^"]*"/, '"action":"auth.login"'),
      'has no operation',
    ],
    [
      'a cost that no bucket bears',
      (line: string) =>
        line
          .replace(/"op":"[^"]*"/, '"op":"consume"')
          .replace(/"action":"[^"]*"/, '"action":"api.heavy","cost":1000000'),
      'cost must be',
    ],
  ])('ends with the number of a line that is %s, and can go on without it', async (_, spoil, why) => {
    const { lines } = await decided(6, 6);
    const log = lines.map((line, n) => (n === 2 ? `${spoil(line).trimEnd()}\n` : line)).join('');
    const { code, stdout, stderr } = await replay(log);
    expect([code, stdout.split('\n').length - 1]).toEqual([2, 2]);
    expect(stderr).toMatch(/^line 3: /);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('192.0.2.1');
    expect(await summaryOf(log, '--skip-bad')).toMatchObject({ events: 5, badLines: 1 });
  });

  it('is named to whoever takes the log for events', async () => {
    const { log } = await decided(6, 3);
    const asEvents = await cli(['replay', '-'], log);
    expect(asEvents.code).toBe(2);
    expect(asEvents.stderr).toContain('It is a line of a decision log: --format decisions');
    const compared = await cli(['compare', '-', '-', '-'], log);
    expect([compared.code, compared.stderr.includes('--format decisions')]).toEqual([2, true]);
  });
});

describe('compare on a decision log', () => {
  const compare = (log: string, ...args: string[]) =>
    cli(['compare', '-', ...args, '-', '--format', 'decisions'], log);

  it('ends with 0 for the policy the service had, with 1 for one that would have changed something', async () => {
    const strict = join(folder, 'strict.yaml');
    writeFileSync(strict, 'policies: { login: { score: { newDevice: 8 } } }');
    const { log, lines } = await decided(0, 250);
    const same = await compare(log, '-');
    expect([same.code, same.stdout.includes('250 events, all decided alike')]).toEqual([0, true]);
    const other = await cli(['compare', '-', strict, '-', '--format', 'decisions', '--json'], gzipSync(log));
    const told = JSON.parse(other.stdout);
    expect([other.code, told.events]).toEqual([1, lines.filter(isDecision).length]);
    expect(told.subjects[0].ip).toMatch(/^[\w-]{22}$/);
    // Two policies cannot be held against one decision.
    expect(told.taken).toEqual({ withoutStore: 0, missing: 0, secretChanges: 0, firstSecretChange: 0 });
  });

  it('leaves out what cannot be decided again, takes labels, and ends at a bad line', async () => {
    const { lines } = await decided(4, 20);
    const labelled = lines.map((line, n) => line.replace('{', `{"attack":${n % 2 === 0},`));
    const without = await compare([...labelled, droppedLine(1, 5)].join(''), '-');
    expect(without.stdout).toContain('5 decisions are missing');
    expect(without.stdout).toContain('10 attacks and 10 other events');
    const bad = await compare([...lines, '{"v":"portcullis.decision/1"}\n'].join(''), '-');
    expect([bad.code, bad.stderr]).toEqual([
      2,
      'portcullis: line 21: t must be a whole number from 0 to 8640000000000000, got nothing. Mend it, or go on without such lines: --skip-bad\n',
    ]);
  });
});
