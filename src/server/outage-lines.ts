import type { Mode } from '../core/decision.ts';
import { MINUTE_MS, SECOND_MS } from '../core/duration.ts';
import type { FaultCode } from '../core/fault.ts';
import type { BreakerPolicy } from '../guard/failure/failure-policy.ts';
import type { Guard } from '../guard/guard.ts';
import type { Log } from '../telemetry/log.ts';

/** Logs when policies leave their store and come back: why, who decides meanwhile, and for how long at least. */
export function logOutages(log: Log, guard: Pick<Guard, 'on'>, breaker: BreakerPolicy): void {
  /** One entry per policy; what a client sends adds none. */
  const lastFaults = new Map<string, FaultCode>();
  const codeOf = (policy: string) => {
    const code = lastFaults.get(policy);
    return code === undefined ? {} : { code };
  };
  guard.on('store', ({ policy, fault }) => {
    if (fault?.startsWith('STORE_')) lastFaults.set(policy, fault);
  });
  guard.on('breaker', ({ policy, what, entries }) => {
    const why = what === 'tripped' ? codeOf(policy) : {};
    log.warn({ policy, what, entries, ...why }, 'the breaker of a policy has changed');
  });
  guard.on('mode', ({ at, policy, from, to }) => {
    if (from !== 'NORMAL') return log.warn({ policy, from, to }, 'a policy changed its mode');
    const leastMs = to === 'FAIL_CLOSED' ? Math.max(breaker.shutMs, breaker.minOpenMs) : breaker.minOpenMs;
    log.warn(
      { policy, from, to, ...codeOf(policy), until: at + leastMs },
      `the store failed: ${whoDecides(to)} for ${inWords(leastMs)} at least`,
    );
  });
}

const whoDecides = (mode: Mode): string => (mode === 'FAIL_CLOSED' ? 'nobody passes' : 'local caps decide');

const inWords = (ms: number): string =>
  ms >= MINUTE_MS ? `${Math.round((10 * ms) / MINUTE_MS) / 10} min` : `${Math.ceil(ms / SECOND_MS)} s`;
