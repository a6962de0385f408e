import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { takeTurn } from './turn.mjs';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-turn-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Takes the turn, has a folder for a moment that nobody else may have, and gives the turn back. */
const worker = `
  import { mkdirSync, rmdirSync } from 'node:fs';
  import { takeTurn } from ${JSON.stringify(new URL('./turn.mjs', import.meta.url).href)};
  const [file, taken] = process.argv.slice(1);
  for (let i = 0; i < 20; i += 1) {
    const end = takeTurn(file, () => {});
    mkdirSync(taken);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    rmdirSync(taken);
    end();
  }`;

async function work(file) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', worker, file, join(folder, 'taken')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  return code === 0 ? '' : said;
}

describe('the turn of a build', () => {
  it('is that of one process at a time', async () => {
    const file = join(folder, 'building');
    expect(await Promise.all([work(file), work(file), work(file)])).toEqual(['', '', '']);
    expect(existsSync(file)).toBe(false);
  }, 60_000);

  it('is taken over from a process that was killed', () => {
    const file = join(folder, 'left-behind');
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(file, String(pid));
    const end = takeTurn(file, () => expect.unreachable());
    expect(readFileSync(file, 'utf8')).toBe(String(process.pid));
    end();
  });

  it('is everybody’s where nothing can be written', () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    takeTurn(join(file, 'building'), () => expect.unreachable())();
    expect(existsSync(file)).toBe(true);
  });
});
