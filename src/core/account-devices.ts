import type { CapPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import { cleanStanding, isHardBlocked, isSoftBlocked } from './standing.ts';
import type { AccountDevice, BookEntry } from './state.ts';
import type { Token } from './subject.ts';
import { timesWithin } from './times.ts';
import { isToken, type Window } from './window.ts';

/** K5 entries and their caps (engine contract §6). */

/** The devices of an account's draft. Entries are shared with the stored record until they are opened. */
export interface DeviceDrafts {
  readonly record: { devices: readonly AccountDevice[]; devicesMadeAt: readonly number[] };
  /** Entries that are the draft's own, to be changed. */
  opened: readonly AccountDevice[];
}

export function findAccountDevice<D extends Readonly<AccountDevice>>(
  devices: readonly D[],
  token: Token,
): D | undefined {
  for (const device of devices) if (isToken(device.id, token)) return device;
  return undefined;
}

/**
 * The failing device's entry, made if there is none. Null when the device is ephemeral: too many new ones lately, or
 * no room that may be taken.
 */
export function claimAccountDevice(
  draft: DeviceDrafts,
  token: Token,
  now: number,
  caps: CapPolicy,
  book: readonly BookEntry[],
): AccountDevice | null {
  const { record } = draft;
  const found = findAccountDevice(record.devices, token);
  if (found !== undefined) {
    const own = openDevice(draft, found);
    own.id = token.hash;
    return own;
  }
  const madeAt = timesWithin(record.devicesMadeAt, now, caps.newAccountDevicesMs);
  if (madeAt.length >= caps.newAccountDevices) return null;
  if (record.devices.length >= caps.accountDevices && !evictOne(record, now, book)) return null;
  const made = { id: token.hash, standing: cleanStanding, failures: [] };
  record.devices = [...record.devices, made];
  record.devicesMadeAt = [...madeAt, now];
  draft.opened = [...draft.opened, made];
  return made;
}

/** The entry as the draft's own. Opened twice, it is the same one. */
export function openDevice(draft: DeviceDrafts, device: AccountDevice): AccountDevice {
  if (draft.opened.includes(device)) return device;
  const { record } = draft;
  const own = { id: device.id, standing: device.standing, failures: device.failures };
  record.devices =
    record.devices.length === 1 ? [own] : record.devices.map((entry) => (entry === device ? own : entry));
  draft.opened = draft.opened.length === 0 ? [own] : [...draft.opened, own];
  return own;
}

/** Drops the longest unused entry without a running block, those not in the book first; of equals the older one. */
function evictOne(record: DeviceDrafts['record'], now: number, book: readonly BookEntry[]): boolean {
  const idle = record.devices.filter(
    (device) => !isHardBlocked(device.standing, now) && !isSoftBlocked(device.standing, now),
  );
  const unknown = idle.filter((device) => !book.some((entry) => entry.id === device.id));
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
  draft: DeviceDrafts,
  seen: Window,
  now: number,
  own: AccountDevice | null,
): void {
  for (const { id } of seen) {
    const device = draft.record.devices.find((entry) => entry.id === id);
    if (device === undefined) continue;
    const holder = openDevice(draft, device);
    ruling.escalate(rule, { scope: 'K5', holder, now, own: holder === own }, 2);
  }
}
