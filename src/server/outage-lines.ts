import type { Mode } from '../core/decision.ts';
import type { FaultCode } from '../core/fault.ts';
import { waitText } from '../core/span-text.ts';
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
      `the store failed: ${whoDecides(to)} for ${waitText(leastMs)} at least`,
    );
  });
}

const whoDecides = (mode: Mode): string => (mode === 'FAIL_CLOSED' ? 'nobody passes' : 'local caps decide');
