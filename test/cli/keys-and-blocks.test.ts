import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  beginRotation,
  finishRotation,
  newKeyFile,
  ROTATION_WINDOW_MS,
  readKeyFile,
  secretsOf,
  writeKeyFile,
} from '../../src/config/key-file.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { cli } from './cli-run.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'portcullis-keys-'));
const keysIn = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

describe('keys rotate', () => {
  it('makes a key file that only its owner can read, then rotates it once', async () => {
    const file = join(folder(), 'keys.json');
    expect((await cli(['keys', 'rotate', file])).code).toBe(0);
    const first = keysIn(file);
    expect([first.previousSecret, statSync(file).mode & 0o777]).toEqual([null, 0o600]);
    expect((await cli(['keys', 'rotate', file])).code).toBe(0);
    expect(keysIn(file).previousSecret).toBe(first.secret);
    const again = await cli(['keys', 'rotate', file]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('a rotation is running')]);
  });

  it('refuses what is no file, a pipe too', async () => {
    const home = folder();
    execFileSync('mkfifo', [join(home, 'pipe')]);
    for (const place of [home, join(home, 'pipe')]) {
      const { code, stderr } = await cli(['keys', 'rotate', place]);
      expect([code, stderr]).toEqual([2, `portcullis: ${place}: is no file that can be written anew\n`]);
    }
  });

  it('keeps neither the mode nor the link of what a crash has left beside the file', () => {
    const home = folder();
    const [file, elsewhere] = [join(home, 'keys.json'), join(home, 'elsewhere')];
    writeFileSync(`${file}.new`, 'x', { mode: 0o644 });
    writeKeyFile(file, newKeyFile());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(elsewhere, 'x');
    symlinkSync(elsewhere, `${file}.new`);
    writeKeyFile(file, newKeyFile());
    expect([readFileSync(elsewhere, 'utf8'), lstatSync(file).isSymbolicLink()]).toEqual(['x', false]);
  });

  it('ends a rotation only after its window, unless forced', () => {
    const running = beginRotation(newKeyFile(), 1_000);
    const end = 1_000 + ROTATION_WINDOW_MS;
    expect(() => finishRotation(running, end - 1, false)).toThrow(/another 1 s;/);
    expect(finishRotation(running, end, false)).toEqual(newKeyFile(running.secret));
    expect(finishRotation(running, 2_000, true).previousSecret).toBeNull();
  });

  it('begins no rotation for somebody who meant to end one', async () => {
    const file = join(folder(), 'keys.json');
    await cli(['keys', 'rotate', file]);
    const before = readFileSync(file, 'utf8');
    const { code, stderr } = await cli(['keys', 'rotate', file, '--force']);
    expect([code, stderr]).toEqual([2, 'portcullis: --force is for ending a rotation: give --finish too\n']);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('changes the file that a link leads to, and says so when there is none', async () => {
    const home = folder();
    const [file, link] = [join(home, 'keys.json'), join(home, 'link.json')];
    await cli(['keys', 'rotate', file]);
    symlinkSync(file, link);
    await cli(['keys', 'rotate', link]);
    expect([lstatSync(link).isSymbolicLink(), keysIn(file).previousSecret]).toEqual([
      true,
      expect.any(String),
    ]);
    const missing = await cli(['keys', 'rotate', join(home, 'none.json'), '--finish']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('is not there')]);
  });

  it.each(['c2hvcnQ=', 'correct horse battery staple, twice!', `${'a'.repeat(40)}=a`, ''])(
    'refuses a file that holds no secret, without showing what it holds: %s',
    async (secret) => {
      const file = join(folder(), 'keys.json');
      writeFileSync(file, JSON.stringify({ secret }));
      const { code, stderr } = await cli(['keys', 'rotate', file]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('secret must be base64 of at least 16 bytes'),
      ]);
      if (secret !== '') expect(stderr).not.toContain(secret);
    },
  );
});

describe('blocks', () => {
  it('places, lists, lifts and tells of it, on a store named by its URL', async () => {
    const home = folder();
    const keys = join(home, 'keys.json');
    await cli(['keys', 'rotate', keys]);
    const there = ['--store', `lmdb:${join(home, 'records')}`, '--keys', keys];
    const note = ['--by', 'alice', '--why', 'scanning'];
    const subject = ['--ip', '198.51.100.7', '--account', 'a1', '--level', '3'];
    const placed = await cli(['blocks', 'place', 'K1', ...subject, ...note, ...there]);
    expect([placed.code, placed.stdout]).toEqual([
      0,
      expect.stringMatching(/^HARD_BLOCK level 3 until .* login:K1:/),
    ]);
    const listed = await cli(['blocks', '--json', ...there]);
    const { id } = JSON.parse(listed.stdout);
    const again = await cli(['blocks', 'place', 'K1', ...subject, ...note, ...there, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ id, outcome: 'HARD_BLOCK', level: 3 });
    expect((await cli(['blocks', 'lift', id, ...note, ...there])).code).toBe(0);
    expect((await cli(['blocks', 'lift', id, ...note, ...there])).code).toBe(1);
    const audit = (await cli(['blocks', 'audit', ...there])).stdout.trimEnd().split('\n');
    expect(audit.map((line) => JSON.parse(line).what)).toEqual(['placed', 'placed', 'lifted']);
    const asked = await cli(['blocks', 'audit', '--json', ...there]);
    expect([asked.code, asked.stdout.trimEnd().split('\n')]).toEqual([0, audit]);
  });

  it('lists what limits have blocked, and lifts that too', async () => {
    const home = folder();
    const keys = join(home, 'keys.json');
    await cli(['keys', 'rotate', keys]);
    const records = join(home, 'records');
    const store = await createLmdbStore({ path: records, deadlineMs: 20_000 });
    const limiter = createLimiter({ ...secretsOf(readKeyFile(keys)), store, name: 'shop' });
    const until = await limiter.block({ ip: '198.51.100.7', user: 'u1' }, 3);
    await store.close();
    const there = ['--store', `lmdb:${records}`, '--keys', keys];
    const note = ['--by', 'alice', '--why', 'paid'];
    expect((await cli(['blocks', ...there])).stdout).toBe('');
    const listed = await cli(['blocks', '--json', '--limiter', 'shop', ...there]);
    const named = await cli([
      'blocks',
      '--json',
      '--limiter',
      'shop',
      '--store',
      `lmdb:${home}`,
      '--keys',
      keys,
    ]);
    expect(named.stdout, 'the data folder of a service, which has them in it').toBe(listed.stdout);
    const block = JSON.parse(listed.stdout);
    expect(block).toEqual({
      id: expect.stringMatching(/^limits\.shop:U:/),
      scope: 'U',
      level: 3,
      until,
      policy: 'limits.shop',
      outcome: 'HARD_BLOCK',
    });
    expect((await cli(['blocks', 'lift', block.id, ...note, ...there])).stdout).toBe('lifted\n');
    expect((await cli(['blocks', 'lift', block.id, ...note, ...there])).code).toBe(1);
    const { stdout } = await cli(['blocks', 'audit', ...there]);
    expect(JSON.parse(stdout)).toMatchObject({ what: 'lifted', block: block.id, by: 'alice' });
  });

  it('takes a folder without records for a mistake, where there is something to look for', async () => {
    const home = folder();
    const keys = join(home, 'keys.json');
    await cli(['keys', 'rotate', keys]);
    const there = ['--store', `lmdb:${join(home, 'recrods')}`, '--keys', keys];
    for (const what of [['list'], ['audit'], ['lift', 'login:K4:x', '--by', 'alice', '--why', 'a slip']]) {
      const { code, stderr } = await cli(['blocks', ...what, ...there]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('a folder without records')]);
    }
    expect(existsSync(join(home, 'recrods'))).toBe(false);
  });

  it('tells a store that does not serve from an answer that is no', async () => {
    const keys = join(folder(), 'keys.json');
    await cli(['keys', 'rotate', keys]);
    const { code, stderr } = await cli(['blocks', '--store', 'redis://127.0.0.1:1', '--keys', keys]);
    expect([code, stderr.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining('--store')]]);
  });

  it('says first that there is no such command', async () => {
    for (const args of [['bogus'], ['bogus', '--store', 'lmdb:x', '--keys', 'k']]) {
      const { code, stderr } = await cli(['blocks', ...args]);
      expect([code, stderr]).toEqual([2, "portcullis: unknown command 'bogus'. See --help\n"]);
    }
    const alone = await cli(['blocks', '--keys', 'k']);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--store')]);
  });

  it('refuses a store it does not know', async () => {
    const keys = join(folder(), 'keys.json');
    await cli(['keys', 'rotate', keys]);
    const { code, stderr } = await cli(['blocks', '--store', 'carrier-pigeon://loft', '--keys', keys]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--store must be one of')]);
  });
});
