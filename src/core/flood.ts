import { blockSeenDevices } from './account-devices.ts';
import type { AccountDraft } from './account-draft.ts';
import type { CorrelationPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import type { Token } from './subject.ts';
import { noteSeen, observeWatched, seenIn, trimSeen } from './watch.ts';

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
  const { flood } = record;
  if (now < record.floodUntil) {
    const isAdded = noteSeen(flood, device, now, windowMs);
    trimSeen(flood, capacity);
    if (isAdded) blockSeenDevices('flood', ruling, record, seenIn(flood), now, ownDevice);
    return;
  }
  if (observeWatched(flood, device, now, policy.flood, policy.watchMs) !== 'fired') return;
  trimSeen(flood, capacity);
  flood.watchUntil = null;
  record.floodUntil = now + runsMs;
  ruling.soft('flood', key, 1);
}
