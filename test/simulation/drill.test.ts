import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { attacks } from '../../src/cli/drill/attacks.ts';
import type { DrilledAttack } from '../../src/cli/drill/report.ts';
import { drillAttack, runDrill } from '../../src/cli/drill/run-drill.ts';
import { defaultApi, defaultLogin, defaultPolicies } from '../../src/core/policy.ts';

function capture() {
  const written: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const io = { stdin: process.stdin, stdout, stderr: stdout, isTerminal: false };
  return { io, text: () => written.join('') };
}

async function drillNamed(name: string, policies = defaultPolicies): Promise<DrilledAttack> {
  const attack = attacks.find((candidate) => candidate.name === name);
  if (attack === undefined) expect.fail(`there is no attack "${name}"`);
  return drillAttack(policies, 'auth.login', attack);
}

describe('drill', () => {
  test('reports every standard attack, the same each time', async () => {
    const reports: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const { io, text } = capture();
      expect(await runDrill({ policies: defaultPolicies, json: true }, io)).toBe(0);
      reports.push(text());
    }
    expect(reports[1]).toBe(reports[0]);
    const report: { attacks: DrilledAttack[]; missing: string[] } = JSON.parse(reports[0] ?? '');
    expect(report.missing).toEqual([]);
    expect(report.attacks.map(({ name }) => name)).toEqual([
      'brute force',
      'spray',
      'slow and low',
      'device rotation',
      'IPv6 spray',
      'OTP preload',
      'N−1 hovering',
      'parallel guesses',
      'store outage',
    ]);
    for (const { name, guesses, firstBlockMs, owners, store } of report.attacks) {
      expect(guesses, name).toBeGreaterThan(0);
      expect(firstBlockMs, name).not.toBeNull();
      expect(owners.trusted.attempts, name).toBeGreaterThan(0);
      expect(store.operations, name).toBeGreaterThan(0);
    }
    const refusedTrusted = report.attacks.filter(({ owners }) => owners.trusted.refused > 0);
    expect(refusedTrusted.map(({ name }) => name)).toEqual(['store outage']);
  });

  test('lets through in an outage what the degraded caps admit, and not one more', async () => {
    const { guesses, owners } = await drillNamed('store outage');
    const { trusted, known, new: unknown } = owners;
    const admitted = [trusted, known, unknown].reduce((sum, fate) => sum + fate.attempts - fate.refused, 0);
    // Half an hour holds three windows of ten minutes, in each of which three attempts on an account pass.
    expect(guesses + admitted).toBe(9);
  });

  test('does not slow an attacker down who has left the blocked network behind', async () => {
    const { guesses, durationMs, firstBlockMs } = await drillNamed('IPv6 spray');
    expect(firstBlockMs).toBe(4_000);
    // Blocks meet each /64 that was used, never the next one: a guess every second gets through.
    expect(guesses).toBe(durationMs / 1_000);
  });

  test('waits for a block that meets the next network as well', async () => {
    const { correlation } = defaultLogin;
    if (correlation.prefixes === null) expect.fail('logins watch prefixes');
    const prefixes = { ...correlation.prefixes, p40: { children: 1, accounts: 5 } };
    const strict = { ...defaultLogin, correlation: { ...correlation, prefixes } };
    const { guesses } = await drillNamed('IPv6 spray', [strict]);
    // Five guesses, then at most five minutes (level 3) of the /48: 24 times in two hours.
    expect(guesses).toBeLessThan(5 * 35);
  });

  test('shows what the owner lane is for', async () => {
    const closed = defaultPolicies.map((policy) => ({ ...policy, ownerLane: false }));
    expect((await drillNamed('device rotation')).owners.trusted.refused).toBe(0);
    expect((await drillNamed('device rotation', closed)).owners.trusted.refused).toBeGreaterThan(0);
  });

  test('prints a table, and says what it left out', async () => {
    const { io, text } = capture();
    await runDrill({ policies: [defaultLogin, defaultApi], json: false }, io);
    const lines = text().split('\n');
    expect(lines[0]).toMatch(/^attack +over +guesses +first block +trusted +known +new +store ops +records$/);
    expect(lines[1]).toMatch(/^brute force +1 d +\d+ +after 1 s +0\/72 /);
    expect(lines).toContain('left out: OTP preload, for there is no policy "otp"');
  });
});
