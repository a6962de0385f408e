import type { OperationName } from '../../guard/engine.ts';
import type { GuardRequest } from '../../guard/signals.ts';

/** What somebody shows of themselves; the action is the policy's. */
export type Signals = Omit<GuardRequest, 'action'>;

/** How the owner of the attacked account shows up. */
export type OwnerKind = 'trusted' | 'known' | 'unknown';

export const ownerKinds: readonly OwnerKind[] = ['trusted', 'known', 'unknown'];

/**
 * Something that somebody does. `guess` is a wrong attempt as a host runs it: `check`, then `fail` if it was let
 * through; `signIn` a right one: `check`, then `succeed`. The others are single operations, as they arrive when many
 * run at once and their checks have passed before.
 */
export interface Act {
  readonly name: string;
  readonly by: 'stranger' | 'owner';
  readonly does: 'guess' | 'signIn' | Exclude<OperationName, 'check'>;
  /** How many of them at once; all are checked before the first ends. */
  readonly volley: number;
  /** What a call costs; with `consume` only. */
  readonly cost?: number;
  /** Whether its address is never seen again, so that nothing has to be remembered of it; likewise its device. */
  readonly isNewAddress: boolean;
  readonly isNewDevice: boolean;
  /** `turn` counts what has happened, so that new ones have a name of their own. */
  signals(turn: number): Signals;
}

export const VICTIM = 'victim';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
const safari = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15';

/** Addresses by number. New ones begin at 203.1.0.0, so that they never meet the others. */
const v4 = (index: number): string => `203.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
const v6 = (index: number): string => `2001:db8:1:${(index & 65_535).toString(16)}::1`;

export function ownerSignals(kind: OwnerKind): Signals {
  const ip = { trusted: '198.51.100.10', known: '198.51.100.11', unknown: '198.51.100.12' }[kind];
  const confidence = ({ trusted: 'HIGH', known: 'MEDIUM', unknown: 'LOW' } as const)[kind];
  return { account: VICTIM, ip, ua: safari, device: { id: `owner's ${kind} device`, confidence } };
}

interface Stranger {
  readonly account?: string;
  /** An address by number or text, or a new one each time. */
  readonly ip: number | 'new' | 'new /64' | `${string}:${string}`;
  readonly device: number | 'new' | 'none' | 'passive';
}

/** A stranger's guess, or several at once. */
export function guess(name: string, stranger: Stranger, volley = 1): Act {
  return {
    name: volley === 1 ? name : `${volley} at once: ${name}`,
    by: 'stranger',
    does: 'guess',
    volley,
    isNewAddress: stranger.ip === 'new' || stranger.ip === 'new /64',
    isNewDevice: stranger.device === 'new',
    signals: signalsOf(stranger),
  };
}

/** Calls at once, each of this cost. */
export function call(name: string, stranger: Stranger, cost: number, volley: number): Act {
  return { ...guess(name, stranger, volley), does: 'consume', cost };
}

/** The same without asking first: its check has passed long ago. */
export const raced = (act: Act): Act => ({ ...act, name: `${act.name}, checked before`, does: 'fail' });

function signalsOf({ account = VICTIM, ip, device }: Stranger): (turn: number) => Signals {
  return (turn) => ({ account, ip: addressOf(ip, turn), ua: firefox, device: deviceOf(device, turn) });
}

function addressOf(ip: Stranger['ip'], turn: number): string {
  if (ip === 'new') return v4(65_536 + turn);
  if (ip === 'new /64') return v6(turn);
  return typeof ip === 'number' ? v4(ip) : ip;
}

function deviceOf(device: Stranger['device'], turn: number): Signals['device'] {
  if (device === 'none') return null;
  if (device === 'new') return { id: `new ${turn}`, confidence: 'MEDIUM' };
  if (device === 'passive') return { id: 'passive', confidence: 'LOW' };
  return { id: `stranger ${device}`, confidence: 'MEDIUM' };
}

/** The owner mistypes, or signs in. */
export function owner(kind: OwnerKind, does: 'guess' | 'signIn'): Act {
  const signals = ownerSignals(kind);
  return {
    name: `the owner ${does === 'guess' ? 'mistypes' : 'signs in'} on a ${kind} device`,
    by: 'owner',
    does,
    volley: 1,
    isNewAddress: false,
    isNewDevice: false,
    signals: () => signals,
  };
}

/** Names of what is new each time, wherever they stand in a record. */
export const newNames = /new \d+|203\.1\.\d+\.\d+\/32|2001:db8:1:[0-9a-f:]*\/64/g;
