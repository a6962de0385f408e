import { once } from 'node:events';
import type { Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

/** How long one waits for a moment in which nobody comes. */
const mostMs = 500;
/** A turn that takes no longer has had next to nothing to do. */
const quietMs = 0.5;

/**
 * Takes nobody in any more, and ends what rests between requests. Gives what resolves when the last connection has ended.
 *
 * The system resets those who have connected and are not taken in yet when a server stops to listen. So this waits for a
 * turn that was short and brought nobody: then only who comes in the fraction of a millisecond behind it is lost. Where
 * there is none, because clients keep the process busy by connecting anew, it stops all the same.
 */
export async function stopListening(server: Server): Promise<{ readonly ended: Promise<unknown> }> {
  const ended = once(server, 'close');
  // Now, for later they would be in the way: to end them takes longer than for a few more to connect.
  server.closeIdleConnections();
  await quietTurn(server);
  server.close();
  return { ended };
}

async function quietTurn(server: Server): Promise<void> {
  let came = 0;
  const count = (): void => {
    came += 1;
  };
  server.on('connection', count);
  const startedAt = performance.now();
  for (let now = startedAt, isQuiet = false; !isQuiet && now - startedAt < mostMs; ) {
    const before = came;
    const beganAt = now;
    await turn();
    now = performance.now();
    isQuiet = came === before && now - beganAt < quietMs;
  }
  server.off('connection', count);
}
