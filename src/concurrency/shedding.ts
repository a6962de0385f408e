import type { DenialReason, Denied, Priority } from './admission.ts';
import type { CapSettings } from './cap-options.ts';

/** How many times the queue deadline a denied caller is told to wait under full pressure. */
const LONGEST_RETRY = 10;

/** Makes a denial, and counts it as pressure. A caller that went away was not shed, and health checks are no load. */
export function refuse(
  settings: CapSettings,
  reason: DenialReason,
  priority: Priority,
  waitedMs: number,
): Denied {
  const { route, queueDeadlineMs, meter, clock } = settings;
  if (reason !== 'aborted' && priority !== 'health') meter.count(1);
  const retryAfterMs = queueDeadlineMs * (1 + (LONGEST_RETRY - 1) * meter.read(clock.now()));
  return { admitted: false, reason, route, waitedMs, retryAfterMs };
}

/** Tells the listener; apart from {@link refuse}, so that a listener that asks the cap finds everything in order. */
export function tellShed(
  settings: CapSettings,
  reason: DenialReason,
  priority: Priority,
  waitedMs: number,
): void {
  const { route, shadow, onEvent } = settings;
  if (reason !== 'aborted') onEvent({ type: 'shed', route, reason, priority, waitedMs, shadow });
}

/** A call that is denied as it comes. */
export function shed(settings: CapSettings, reason: DenialReason, priority: Priority): Denied {
  const denied = refuse(settings, reason, priority, 0);
  tellShed(settings, reason, priority, 0);
  return denied;
}
