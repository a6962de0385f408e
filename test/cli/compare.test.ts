import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from './cli-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));

function tempFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const strict = tempFile('strict.yaml', 'policies: { login: { score: { newDevice: 8 } } }');
const event = (t: number, fields: object = {}) =>
  JSON.stringify({
    t,
    op: 'fail',
    account: 'a1',
    ip: '192.0.2.1',
    device: { id: 'd1', confidence: 'MEDIUM' },
    ...fields,
  });
const compare = (input: string, ...args: string[]) => cli(['compare', ...args], input);

describe('compare', () => {
  it('ends with 0 when nobody is treated differently', async () => {
    const { code, stdout } = await compare([0, 1, 2].map((t) => event(t)).join('\n'), '-', '-', '-');
    expect(code).toBe(0);
    expect(stdout).toContain('3 events, all decided alike');
  });

  it('ends with 1 and tells who, when and why', async () => {
    const { code, stdout } = await compare(event(1_700_000_000_000), '-', strict, '-');
    expect(code).toBe(1);
    expect(stdout).toContain('1 event, 1 (100.0 %) decided differently: 0 harder by A, 1 harder by B');
    expect(stdout).toContain(
      'account "a1" from "192.0.2.1": 1 decision, first at line 1, 2023-11-14T22:13:20Z',
    );
    expect(stdout).toContain('    A ALLOW\n    B HARD_BLOCK level 2 for 1 min by score on K4\n');
  });

  it('tells the same as JSON', async () => {
    const { code, stdout } = await compare(event(5), '-', strict, '-', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      events: 1,
      differences: 1,
      harder: { a: 0, b: 1, length: 0 },
      outcomes: { ALLOW: { HARD_BLOCK: 1 } },
      subjects: [
        { account: 'a1', ip: '192.0.2.1', line: 1, t: 5, a: { outcome: 'ALLOW' }, b: { rule: 'score' } },
      ],
      labels: null,
    });
  });

  it('counts a block of another length as a difference', async () => {
    const longer = tempFile(
      'longer.yaml',
      'policies: { login: { ladder: { durationsMs: [15000, 61000, 300000, 1800000, 7200000, 86400000] } } }',
    );
    const lines = [0, 1, 2].map((t) => event(t)).join('\n');
    const { code, stdout } = await compare(lines, '-', longer, '-', '--json');
    expect([code, JSON.parse(stdout).harder]).toEqual([1, { a: 0, b: 0, length: 1 }]);
  });

  it('keeps a bounded list of subjects and counts the rest', async () => {
    const lines = Array.from({ length: 1_005 }, (_, t) =>
      event(t * 1_000_000, {
        account: `a${t}`,
        device: { id: `d${t}`, confidence: 'LOW' },
        ip: `10.0.${t >> 8}.${t & 255}`,
      }),
    );
    const { stdout } = await compare(lines.join('\n'), '-', strict, '-', '--json');
    const told = JSON.parse(stdout);
    expect([told.subjects.length, told.unlistedDifferences, told.differences]).toEqual([1_000, 5, 1_005]);
    const { stdout: text } = await compare(lines.join('\n'), '-', strict, '-');
    expect(text).toContain('and 990 more subjects\n  and 5 decisions on subjects beyond those');
  });

  it('knows a label by its name, however that is written', async () => {
    const lines = [event(0, { attack: true }).replace('"attack"', '"\\u0061ttack"'), event(1)];
    const { stdout } = await compare(lines.join('\n'), '-', strict, '-', '--json');
    expect(JSON.parse(stdout).labels).toMatchObject({ attacks: 1, honest: 1 });
  });

  it('judges by labels: precision, recall and a curve', async () => {
    const lines = [
      ...[0, 1, 2, 3].map((t) => event(t, { attack: true })),
      ...[0, 1, 2, 3].map((t) =>
        event(t, { account: `b${t}`, ip: `192.0.2.${t + 9}`, device: { id: `x${t}`, confidence: 'MEDIUM' } }),
      ),
    ];
    const { stdout } = await compare(lines.join('\n'), '-', strict, '-', '--json');
    const { labels } = JSON.parse(stdout);
    expect(labels).toMatchObject({ attacks: 4, honest: 4, told: 4 });
    const at = (side: 'a' | 'b', atLeast: string) =>
      labels[side].rows.find((row: { atLeast: string }) => row.atLeast === atLeast);
    expect(at('a', 'HARD')).toMatchObject({
      truePositives: 2,
      falsePositives: 0,
      recall: 0.5,
      precision: 1,
      falsePositiveRate: 0,
    });
    expect(at('a', 'any block')).toMatchObject({ truePositives: 3, falsePositives: 0, recall: 0.75 });
    expect(at('b', 'HARD')).toMatchObject({
      truePositives: 4,
      falsePositives: 4,
      precision: 0.5,
      falsePositiveRate: 1,
    });
    expect(labels.a.area).toBeCloseTo(0.875);
    expect(labels.b.area).toBeCloseTo(0.5);
    const { stdout: text } = await compare(lines.join('\n'), '-', strict, '-');
    expect(text).toMatch(/4 attacks and 4 other events\n\nA, at least +recall +precision +false alarms\n/);
    expect(text).toMatch(/HARD +50\.00 % +100\.00 % +0\.00 %/);
  });

  it('compares over logs, limits and scenarios', async () => {
    const slow = tempFile('slow.yaml', 'limits: { signedIn: { ratePerSecond: 2 } }\n');
    const line = (second: number) =>
      `198.51.100.7 - - [01/Mar/2024:00:00:${String(second).padStart(2, '0')} +0000] "GET / HTTP/1.1" 200 12 "-" "curl/8"`;
    const lines = Array.from({ length: 20 }, (_, second) => line(second)).join('\n');
    const { code, stdout } = await compare(
      `${lines}\nnonsense\u001b[1m\n`,
      '-',
      slow,
      '-',
      '--format',
      'nginx',
    );
    expect(code).toBe(1);
    expect(stdout).toContain('by limit on K2');
    expect(stdout).toContain(
      '1 of 21 lines was not understood and not counted; the first: line 21 "nonsense\\u001b[1m"',
    );
    expect((await compare(lines, '-', strict, '-', '--format', 'nginx')).code).toBe(0);
    const other = await compare('x\n', '-', '-', '-', '--format', 'sshd');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('Is --format right?')]);
  });

  it('leaves out a line of a log whose address is none, also where every side is asked on its own', async () => {
    const slow = tempFile('slow-too.yaml', 'limits: { signedIn: { ratePerSecond: 2 } }\n');
    const line = (ip: string) =>
      `${ip} - - [01/Mar/2024:00:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "curl/8"`;
    const lines = `${line('999.1.1.1')}\n${line('198.51.100.7')}\n`;
    for (const other of ['-', slow]) {
      const { code, stdout } = await compare(lines, '-', other, '-', '--format', 'nginx');
      expect(code).toBe(0);
      expect(stdout).toContain('1 event, all decided alike\n1 of 2 lines was not understood');
    }
  });

  it('stops at a bad event, unless it may skip it', async () => {
    const lines = `${event(0)}\n{"t":-1}\n${event(1)}`;
    const { code, stderr } = await compare(lines, '-', strict, '-');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^portcullis: line 2: t must be .* --skip-bad\n$/),
    ]);
    const skipped = await compare(lines, '-', strict, '-', '--skip-bad');
    expect(skipped.stdout).toContain('1 bad line was skipped');
  });

  it('tells what is wrong with a policy, or with a file that is not there', async () => {
    const bad = tempFile('bad.yaml', 'policies: { login: { scores: 1 } }');
    expect((await compare('', '-', bad, '-')).stderr).toContain('policies.login.scores');
    expect((await compare('', '-', strict, '/nowhere/at-all')).code).toBe(2);
    expect((await compare('', '-')).code).toBe(2);
  });

  it('shows no name of the file unescaped', async () => {
    const { stdout } = await compare(event(1, { account: 'e\u001b]0;x\u0007\u202e' }), '-', strict, '-');
    expect(stdout).toContain('account "e\\u001b]0;x\\u0007\\u202e"');
  });
});

describe('a log', () => {
  const refused = 'Dec 10 06:55:46 host sshd[1]: Failed password for root from 192.0.2.1 port 22 ssh2';

  it('may end with an attempt from no address, as replay takes it', async () => {
    const log = `${refused}\nDec 10 06:55:46 host sshd[2]: Invalid user ann from gone.example port 22\n`;
    const { code, stdout, stderr } = await compare(log, '-', '-', '-', '--format', 'sshd');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('1 event, all decided alike\n1 of 2 lines was not understood and not counted');
  });

  it('may tell of failures without a name: they are counted', async () => {
    const log = [nameless('/login'), nameless('/other')].join('\n');
    const flags = ['--format', 'nginx', '--login', '/login'];
    const { stdout } = await compare(log, '-', '-', '-', ...flags);
    expect(stdout).toContain('2 events, all decided alike\n1 login names no account and was not decided\n');
    const told = await compare(log, '-', '-', '-', ...flags, '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({ events: 2, namelessLines: 1 });
  });
});

const nameless = (path: string): string =>
  `192.0.2.1 - - [01/Mar/2024:00:00:00 +0000] "POST ${path} HTTP/1.1" 401 12 "-" "curl/8"`;
