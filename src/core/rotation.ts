import { blockSeenDevices } from './account-devices.ts';
import type { AccountDraft } from './account-draft.ts';
import type { CorrelationPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import type { Token } from './subject.ts';
import { countWithin, noteTime } from './times.ts';
import { clearWatched, observeWatched, seenIn } from './watch.ts';

/**
 * §8.2 rotation: one account from many devices. Blocks the devices involved, not the account; only when it happens
 * again and again (`rotation.repeat`) does the account answer.
 */
export function observeRotation(
  ruling: Ruling,
  account: AccountDraft,
  device: Token,
  policy: CorrelationPolicy,
): void {
  const { record, key, ownDevice } = account;
  const { now } = key;
  const watched = record.rotation;
  if (observeWatched(watched, device, now, policy.rotation, policy.watchMs) !== 'fired') return;
  blockSeenDevices('rotation', ruling, record, seenIn(watched), now, ownDevice);
  clearWatched(watched);
  const { count, windowMs, level } = policy.rotationRepeat;
  record.rotations = noteTime(record.rotations, now, count);
  if (countWithin(record.rotations, now, windowMs) >= count) ruling.escalate('rotation.repeat', key, level);
}
