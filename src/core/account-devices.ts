import type { CapPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import { cleanStanding, isHardBlocked, isSoftBlocked } from './standing.ts';
import type { AccountDevice, BookEntry } from './state.ts';
import type { Token } from './subject.ts';
import { timesWithin } from './times.ts';
import { isToken, type Window } from './window.ts';

/** K5 entries and their caps (engine contract §6). */

/** The devices of an account's draft. */
export interface AccountDevices {
  devices: AccountDevice[];
  devicesMadeAt: readonly number[];
}

export function findAccountDevice<D extends Readonly<AccountDevice>>(
  devices: readonly D[],
  token: Token,
): D | undefined {
  return devices.find((device) => isToken(device.id, token));
}

/**
 * The failing device's entry, made if there is none. Null when the device is ephemeral: too many new ones lately, or
 * no room that may be taken.
 */
export function claimAccountDevice(
  draft: AccountDevices,
  token: Token,
  now: number,
  caps: CapPolicy,
  book: readonly BookEntry[],
): AccountDevice | null {
  const found = findAccountDevice(draft.devices, token);
  if (found !== undefined) {
    found.id = token.hash;
    return found;
  }
  const madeAt = timesWithin(draft.devicesMadeAt, now, caps.newAccountDevicesMs);
  if (madeAt.length >= caps.newAccountDevices) return null;
  if (draft.devices.length >= caps.accountDevices && !evictOne(draft, now, book)) return null;
  const made = { id: token.hash, standing: cleanStanding, failures: [] };
  draft.devices.push(made);
  draft.devicesMadeAt = [...madeAt, now];
  return made;
}

/** Drops the longest unused entry without a running block, those not in the book first; of equals the older one. */
function evictOne(draft: AccountDevices, now: number, book: readonly BookEntry[]): boolean {
  const idle = draft.devices.filter(
    (device) => !isHardBlocked(device.standing, now) && !isSoftBlocked(device.standing, now),
  );
  const unknown = idle.filter((device) => !book.some((entry) => entry.id === device.id));
  const candidates = unknown.length > 0 ? unknown : idle;
  const victim = candidates.reduce<AccountDevice | undefined>(
    (longest, device) =>
      longest === undefined || lastFailure(device) < lastFailure(longest) ? device : longest,
    undefined,
  );
  draft.devices = draft.devices.filter((device) => device !== victim);
  return victim !== undefined;
}

const lastFailure = (device: AccountDevice): number => device.failures.at(-1) ?? 0;

/** HARD on every device of the window that has an entry. */
export function blockSeenDevices(
  rule: 'rotation' | 'flood',
  ruling: Ruling,
  draft: AccountDevices,
  seen: Window,
  now: number,
  own: AccountDevice | null,
): void {
  for (const { id } of seen) {
    const device = draft.devices.find((entry) => entry.id === id);
    if (device) ruling.escalate(rule, { scope: 'K5', holder: device, now, own: device === own }, 2);
  }
}
