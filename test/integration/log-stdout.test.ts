import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompiledWorker, compileWorker } from '../servers/compiled-worker.ts';

interface Line {
  readonly msg: string;
  readonly count?: number;
}

const fullDisk = '/dev/full';

describe('a log whose stdout', () => {
  let worker: CompiledWorker;
  beforeAll(() => {
    worker = compileWorker(new URL('./log-worker.ts', import.meta.url));
  });
  afterAll(() => worker.remove());

  it.skipIf(!existsSync(fullDisk))('is a full disk does not end the process', async () => {
    const full = openSync(fullDisk, 'w');
    const child = worker.start(['3000'], undefined, full);
    closeSync(full);
    const ended = once(child, 'exit');
    await once(child, 'message');
    child.send('end');
    expect(await ended).toEqual([0, null]);
  });

  it('is read by nobody goes on, loses what is too much, and says how much that was', async () => {
    const written = 5_000;
    const child = worker.start([String(written)], undefined, 'pipe');
    const ended = once(child, 'exit');
    await once(child, 'message');
    let [kept, lost] = [0, 0];
    const said: string[] = [];
    if (child.stdout === null) expect.unreachable('stdout is a pipe');
    for await (const text of createInterface(child.stdout)) {
      const { msg, count = 0 } = JSON.parse(text) as Line;
      said.push(msg);
      // Each line is where it belongs: as many were written or told of as lost before it.
      if (msg === 'many') expect(count).toBe(kept++ + lost);
      if (msg.startsWith('log lines were lost')) lost += count;
      if (msg !== 'last' && kept + lost === written) child.send('end');
    }
    expect(await ended).toEqual([0, null]);
    expect(kept + lost).toBe(written);
    expect(lost).toBeGreaterThan(0);
    expect(said.at(-1)).toBe('last');
  });
});
