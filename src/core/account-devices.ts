import { isInBook } from './book.ts';
import type { CapPolicy } from './policy.ts';
import type { Draft } from './records.ts';
import type { Ruling } from './ruling.ts';
import { cleanStanding, isHardBlocked, isSoftBlocked } from './standing.ts';
import type { AccountDevice, AccountRecord, BookEntry } from './state.ts';
import type { Token } from './subject.ts';
import { timesWithin } from './times.ts';
import { isToken, type Window } from './window.ts';

/** K5 entries and their caps (engine contract §6). */

export function findAccountDevice<D extends AccountDevice>(
  devices: readonly D[],
  token: Token,
): D | undefined {
  for (const device of devices) if (isToken(device.id, token)) return device;
  return undefined;
}

/**
 * An entry for a failing device that has none. Null when the device is ephemeral: too many new ones lately, or no room that
 * may be taken.
 */
export function makeAccountDevice(
  record: Draft<AccountRecord>,
  token: Token,
  now: number,
  caps: CapPolicy,
  book: readonly BookEntry[],
): Draft<AccountDevice> | null {
  const madeAt = timesWithin(record.devicesMadeAt, now, caps.newAccountDevicesMs);
  if (madeAt.length >= caps.newAccountDevices) return null;
  if (record.devices.length >= caps.accountDevices && !evictOne(record, now, book)) return null;
  const made: Draft<AccountDevice> = { id: token.hash, standing: cleanStanding, failures: [] };
  // Not spread: most accounts have one device, and such a list takes room for sixteen more.
  record.devices = record.devices.concat([made]);
  record.devicesMadeAt = madeAt.concat([now]);
  return made;
}

/** Drops the longest unused entry without a running block, those not in the book first; of equals the older one. */
function evictOne(record: Draft<AccountRecord>, now: number, book: readonly BookEntry[]): boolean {
  const idle = record.devices.filter(
    (device) => !isHardBlocked(device.standing, now) && !isSoftBlocked(device.standing, now),
  );
  const unknown = idle.filter((device) => !isInBook(device.id, book));
  const candidates = unknown.length > 0 ? unknown : idle;
  const victim = candidates.reduce<AccountDevice | undefined>(
    (longest, device) =>
      longest === undefined || lastFailure(device) < lastFailure(longest) ? device : longest,
    undefined,
  );
  record.devices = record.devices.filter((device) => device !== victim);
  return victim !== undefined;
}

const lastFailure = (device: AccountDevice): number => device.failures.at(-1) ?? 0;

/** HARD on every device of the window that has an entry. */
export function blockSeenDevices(
  rule: 'rotation' | 'flood',
  ruling: Ruling,
  { devices }: Draft<AccountRecord>,
  seen: Window,
  now: number,
  own: AccountDevice | null,
): void {
  for (const { id } of seen) {
    const holder = devices.find((entry) => entry.id === id);
    if (holder !== undefined) ruling.escalate(rule, { scope: 'K5', holder, now, own: holder === own }, 2);
  }
}
