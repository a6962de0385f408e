import { systemClock } from '../../../src/svc-client/clock.ts';
import type { Attempt } from '../../../src/svc-client/transport.ts';

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
