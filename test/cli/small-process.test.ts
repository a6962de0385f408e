import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CompiledWorker, compileWorker } from '../servers/compiled-worker.ts';

/** Of subjects that nobody has seen before; a hundred of them take half a megabyte. */
const strangers = 40_000;

const eventOf = (index: number): string =>
  JSON.stringify({
    t: index,
    op: 'fail',
    account: `account-${index}`,
    ip: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    device: { id: `device-${index}`, confidence: 'MEDIUM' },
  });

describe('a process with little memory', () => {
  let command: CompiledWorker;
  let folder: string;
  let file: string;
  beforeAll(() => {
    command = compileWorker(new URL('../../src/cli/main.ts', import.meta.url));
    folder = mkdtempSync(join(tmpdir(), 'portcullis-small-'));
    file = join(folder, 'strangers.jsonl');
    writeFileSync(file, Array.from({ length: strangers }, (_, index) => `${eventOf(index)}\n`).join(''));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    command.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reaches the end of a file of strangers', async () => {
    vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=140');
    const child = command.start(['replay', file, '--quiet', '--summary'], undefined, 'pipe');
    const [[code], said] = await Promise.all([
      once(child, 'exit'),
      child.stdout === null ? '' : text(child.stdout),
    ]);
    expect(code).toBe(0);
    expect(said).toContain(`${strangers}`);
  });
});
