import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { withinDeadline } from './deadline.ts';

/** Answers at once, and says so in shared memory when it has. */
const echo = `
  const { parentPort, workerData } = require('node:worker_threads');
  parentPort.on('message', (question) => {
    parentPort.postMessage(question);
    Atomics.store(workerData, 0, 1);
    Atomics.notify(workerData, 0);
  });
`;

const deadlineMs = 20;

describe('the clock of the process', () => {
  test('gives milliseconds since the epoch', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(3_600_000);
  });

  test('runs what is due, unless it is cancelled', async () => {
    const ran: string[] = [];
    const cancel = systemClock.after(1, () => ran.push('cancelled'));
    cancel();
    await new Promise<void>((resolve) => {
      const done = () => {
        ran.push('run');
        resolve();
      };
      systemClock.after(5, done);
      // A pending timer of the clock keeps no process alive, so something else must.
      const alive = setInterval(() => ran.includes('run') && clearInterval(alive), 5);
    });
    expect(ran).toEqual(['run']);
  });

  test('does not take a pause of this process for one of the store', async () => {
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const store = new Worker(echo, { eval: true, workerData: answered });
    await once(store, 'online');
    // From here the event loop comes to timers first, and to messages after them.
    await new Promise((resolve) => setImmediate(resolve));
    const answer = withinDeadline(once(store, 'message'), deadlineMs, systemClock);
    store.postMessage('anybody there?');
    // This thread stands still until the answer is on its way, and then well beyond the deadline.
    Atomics.wait(answered, 0, 0);
    Atomics.wait(answered, 0, 1, 5 * deadlineMs);
    expect(await answer).toEqual(['anybody there?']);
    await store.terminate();
  });

  test('ends what has no answer', async () => {
    const alive = setInterval(() => undefined, 1_000);
    const never = new Promise<void>(() => {});
    await expect(withinDeadline(never, deadlineMs, systemClock)).rejects.toMatchObject({
      code: 'STORE_TIMEOUT',
    });
    clearInterval(alive);
  });
});
