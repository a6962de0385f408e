import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompiledWorker, compileWorker } from '../servers/compiled-worker.ts';

describe('a key file on a disk without room', () => {
  let worker: CompiledWorker;
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-full-'));
  const file = join(folder, 'portcullis.keys.json');
  beforeAll(() => {
    worker = compileWorker(new URL('./key-file-worker.ts', import.meta.url));
  });
  afterAll(() => {
    worker.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = async (limits?: { fileKib: number }): Promise<unknown> => {
    const [said] = await once(worker.start([file], limits), 'message');
    return said;
  };

  it('is named by the error, and stays what it was', async () => {
    expect(await write()).toBe(null);
    const before = readFileSync(file, 'utf8');
    expect(await write({ fileKib: 0 })).toEqual({ code: 'EFBIG', path: `${file}.new` });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['portcullis.keys.json']);
  });
});
