import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type CliRun, cli } from './cli-run.ts';

/** One character that begins a control sequence, one that turns the direction of writing, and the usual one. */
const evil = '\u009b31m\u202e\u001b[2J';
const folder = mkdtempSync(join(tmpdir(), 'portcullis-terminal-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const expectHarmless = ({ stdout, stderr }: CliRun): void =>
  expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(/\p{C}/u);

const events = [0, 1, 2, 3, 4]
  .map((t) => JSON.stringify({ t, op: 'fail', account: evil, ip: '192.0.2.1' }))
  .join('\n');

describe('nothing that a terminal acts on', () => {
  it('comes out of a summary as JSON, which means the same all the same', async () => {
    const run = await cli(['replay', '-', '--summary', '--quiet', '--json'], events);
    expectHarmless(run);
    expect(JSON.parse(run.stdout).summary.firstBlocks).toMatchObject([{ account: evil }, {}]);
  });

  it('comes out of the summary of a log', async () => {
    const log = [1, 2, 3].map(
      (second) =>
        `Dec 10 06:55:0${second} host sshd[${second}]: Failed password for ${evil} from 192.0.2.1 port 22 ssh2`,
    );
    const run = await cli(
      ['replay', '-', '--format', 'sshd', '--summary', '--quiet', '--json'],
      log.join('\n'),
    );
    expectHarmless(run);
    expect(JSON.parse(run.stdout).summary.firstBlocks).toMatchObject([{ account: evil }, {}]);
  });

  it('comes out of a comparison', async () => {
    const strict = file('strict.yaml', 'policies: { login: { score: { missingDevice: 12 } } }');
    const run = await cli(['compare', '-', strict, '-', '--json'], events);
    expectHarmless(run);
    expect(JSON.parse(run.stdout).subjects).toMatchObject([{ account: evil }]);
  });

  it('comes out of a configuration that is printed, which is the same JSON all the same', async () => {
    const config = file('printed.yaml', `dataFolder: ${JSON.stringify(evil)}`);
    const run = await cli(['config', 'check', config, '--no-env', '--print']);
    expectHarmless(run);
    expect(JSON.parse(run.stdout).dataFolder).toContain('31m');
  });

  it('comes out of the names of files', async () => {
    const named = file(`${evil}.yaml`, 'listn: {}');
    expectHarmless(await cli(['config', 'check', named, '--no-env']));
    expectHarmless(await cli(['config', 'check', named, '--no-env', '--json']));
    expectHarmless(await cli(['config', 'check', file(`good ${evil}.yaml`, 'environment: dev')]));
    expectHarmless(await cli(['replay', `${named}.jsonl`]));
    expectHarmless(await cli(['keys', 'rotate', join(folder, `${evil}.json`)]));
  });

  it('comes out of what operators have said', async () => {
    const keys = join(folder, 'keys.json');
    await cli(['keys', 'rotate', keys]);
    const there = ['--store', `lmdb:${join(folder, 'records')}`, '--keys', keys];
    const place = ['place', 'K1', '--ip', '192.0.2.1', '--account', 'a', '--level', '1'];
    await cli(['blocks', ...place, '--by', 'alice', '--why', evil, ...there]);
    const run = await cli(['blocks', 'audit', ...there]);
    expectHarmless(run);
    expect(JSON.parse(run.stdout)).toMatchObject({ by: 'alice', why: evil });
  });

  it('comes back from a slip on the command line', async () => {
    for (const args of [[`--${evil}`], [evil], ['replay', '--format', evil], ['replay', 'a', `--${evil}`]]) {
      const run = await cli(args);
      expect(run.code).toBe(2);
      expectHarmless(run);
    }
  });
});

describe('a slip on the command line', () => {
  it.each([
    [
      ['replay', '--frmat', 'x'],
      "portcullis: unknown option '--frmat' (Did you mean --format?). See --help\n",
    ],
    [['unheard-of'], "portcullis: unknown command 'unheard-of'. See --help\n"],
    [
      ['prove', '--effort', 'x'],
      "portcullis: option '--effort <name>' argument 'x' is invalid. Allowed choices are quick, full. See --help\n",
    ],
  ])('is told in one line, with what to do: %j', async (args, told) => {
    expect(await cli(args)).toEqual({ code: 2, stdout: '', stderr: told });
  });
});
