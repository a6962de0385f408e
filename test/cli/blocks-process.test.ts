import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompiledWorker, compileWorker } from '../servers/compiled-worker.ts';
import { cli } from './cli-run.ts';

describe('portcullis blocks, in a process of its own', () => {
  let command: CompiledWorker;
  let folder: string;
  beforeAll(async () => {
    command = compileWorker(new URL('../../src/cli/main.ts', import.meta.url));
    folder = mkdtempSync(join(tmpdir(), 'portcullis-blocks-'));
    await cli(['keys', 'rotate', join(folder, 'keys.json')]);
  });
  afterAll(() => {
    command.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['a policy that is not there', '--policy', '/nowhere.yaml'],
    ['an environment that is none', '--environment', 'not one'],
  ])('ends with %s, whatever its store waits for', async (_, ...wrong) => {
    const there = ['--store', 'redis://127.0.0.1:1', '--keys', join(folder, 'keys.json')];
    const child = command.start(['blocks', ...there, ...wrong]);
    const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(20_000) });
    expect(code).toBe(2);
  });
});
