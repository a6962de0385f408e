import { blockSeenDevices } from './account-devices.ts';
import type { AccountDraft } from './account-draft.ts';
import type { CorrelationPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import type { Token } from './subject.ts';
import { observeWatched } from './watch.ts';
import { observe, trim } from './window.ts';

/**
 * §8.5 flood: too many new devices on one account. The first firing is SOFT and leaves the window standing; while it
 * runs, each further new device blocks every device of the window.
 */
export function observeFlood(
  ruling: Ruling,
  account: AccountDraft,
  device: Token,
  policy: CorrelationPolicy,
): void {
  const { record, key, ownDevice } = account;
  const { now } = key;
  const { windowMs, runsMs, capacity } = policy.flood;
  if (now < record.floodUntil) {
    const { window, added } = observe(record.flood.seen, device, now, windowMs);
    record.flood = { seen: trim(window, capacity), watchUntil: record.flood.watchUntil };
    if (added) blockSeenDevices('flood', ruling, account, record.flood.seen, now, ownDevice);
    return;
  }
  const observation = observeWatched(record.flood, device, now, policy.flood, policy.watchMs);
  record.flood = observation.next;
  if (!observation.fired) return;
  record.flood = { seen: trim(observation.seen, capacity), watchUntil: 0 };
  record.floodUntil = now + runsMs;
  ruling.soft('flood', key, 1);
}
