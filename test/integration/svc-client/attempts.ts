import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/svc-client/clock.ts';
import type { Attempt, Endpoint } from '../../../src/svc-client/transport.ts';
import { undiciTransport } from '../../../src/svc-client/undici-transport.ts';

/** An endpoint of four connections over undici, until the test ends. */
export function endpointAt(url: string): Endpoint {
  const endpoint = undiciTransport(systemClock).open(url, 4);
  onTestFinished(() => endpoint.close());
  return endpoint;
}

/** An attempt that asks for nothing special, with five seconds for it. */
export function attempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    method: 'GET',
    path: '/',
    headers: {},
    body: null,
    startedAt: systemClock.now(),
    timeoutMs: 5_000,
    deadlineMs: 5_000,
    stallMs: 10_000,
    signal: undefined,
    bodyEnded: () => {},
    ...changes,
  };
}
