import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of the loopback that nobody listens on right now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has no port.');
  return address.port;
}

/**
 * Starts something on ports that were free a moment ago. Others on the machine take ports too, so a start that fails is
 * tried again with new ones.
 */
export async function onFreePorts<T>(start: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (tries <= 1) throw error;
    return onFreePorts(start, tries - 1);
  }
}
