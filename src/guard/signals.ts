import { assertWhole, isWhole, outOfRange } from '../core/amounts.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { fieldNames, unknownField } from '../core/options.ts';
import type { Policy } from '../core/policy.ts';
import type { Confidence } from '../core/subject.ts';
import { hasOwnHash } from '../identity/component-hasher.ts';
import type { Signals } from '../identity/identifier.ts';

/** What a host tells of one request (engine contract §2). A guard refuses a field that there is not. */
export interface GuardRequest {
  /** What is attempted, e.g. `auth.login`; a policy is bound to it. */
  readonly action: string;
  /** Blind index or internal id, never a raw email. Required by login and otp. */
  readonly account?: string | null | undefined;
  /** IPv4 or IPv6 text. */
  readonly ip: string;
  /** The raw User-Agent; normalised, never stored. */
  readonly ua?: string | null | undefined;
  /** Null or absent: the device is missing. */
  readonly device?: { readonly id: string; readonly confidence: Confidence } | null | undefined;
}

/** Bounds on what a request may carry, in characters. Longer values are refused, never cut. */
export const signalBounds = { account: 1024, ip: 128, ua: 8192, deviceId: 1024 } as const;

const confidences: ReadonlySet<unknown> = new Set<Confidence>(['LOW', 'MEDIUM', 'HIGH']);

function refuse(field: string, expected: string, value: unknown): never {
  throw new Fault('INPUT_INVALID', `${field} must be ${expected}, got ${shapeOf(value)}`);
}

function assertText(field: string, value: unknown, maxLength: number): asserts value is string {
  if (typeof value !== 'string' || value.length === 0) refuse(field, 'a string that is not empty', value);
  if (value.length > maxLength) refuse(field, `at most ${maxLength} characters`, value);
  if (value.includes('\0')) throw new Fault('INPUT_INVALID', `${field} must not contain a NUL character`);
}

function assertId(field: string, value: unknown, maxLength: number): void {
  assertText(field, value, maxLength);
  if (!hasOwnHash(value))
    throw new Fault('INPUT_INVALID', `${field} must not contain half of a surrogate pair`);
}

/** Whether a text can be the account of a request. */
export function isAccountText(text: string): boolean {
  return text !== '' && text.length <= signalBounds.account && !text.includes('\0') && hasOwnHash(text);
}

/** Callers without types hand in anything. */
export function assertRequest(request: unknown): void {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    refuse('request', 'an object', request);
  }
}

/** Refuses a field that there is not: one that is misspelt would be missing, and what it protects with it. */
export function assertFields(request: GuardRequest): void {
  for (const name in request) {
    if (!isRequestField(name as keyof GuardRequest) && Object.hasOwn(request, name)) throw noField(name);
  }
}

/** Compares by itself: every request comes by here, and to look five names up in a set takes as long as to recall them all. */
function isRequestField(name: keyof GuardRequest): boolean {
  switch (name) {
    case 'action':
    case 'account':
    case 'ip':
    case 'ua':
    case 'device':
      return true;
    default:
      // The compiler sees to it that none is missing above.
      name satisfies never;
      return false;
  }
}

function noField(name: string): Fault {
  const known = 'action, account, ip, ua, device';
  return new Fault('INPUT_INVALID', `${name} is no field of a request: there are ${known}`);
}

/**
 * Checks the fields of a request. Nothing is corrected or cut: a value that does not fit is an input fault that names the
 * field and the value's shape, never the value.
 */
export function assertSignals({ account, ip, ua, device }: Signals): void {
  assertText('ip', ip, signalBounds.ip);
  if (account !== undefined && account !== null) assertId('account', account, signalBounds.account);
  if (ua !== undefined && ua !== null && ua !== '') assertAgent(ua);
  if (device !== undefined && device !== null) assertDevice(device);
}

function assertAgent(ua: string): void {
  if (typeof ua !== 'string') refuse('ua', 'a string, or nothing', ua);
  assertText('ua', ua, signalBounds.ua);
}

/** Decisions of a credential policy are about an account; some of its keys are not. */
export function assertAccount({ account }: GuardRequest, { kind }: Policy): void {
  if (kind === 'credential' && (account === undefined || account === null)) {
    refuse('account', 'a string that is not empty', account);
  }
}

function assertDevice(device: NonNullable<GuardRequest['device']>): void {
  if (typeof device !== 'object' || Array.isArray(device)) {
    refuse('device', 'null or an object with id and confidence', device);
  }
  assertId('device.id', device.id, signalBounds.deviceId);
  if (!confidences.has(device.confidence))
    refuse('device.confidence', 'LOW, MEDIUM or HIGH', device.confidence);
}

const timeFields = fieldNames<{ at: number }>({ at: true });

/**
 * A time, where one is given. A durable store takes a record whose time has a fraction for corrupt when it reads it back;
 * and a time that stands there by itself would be none, and the present would count.
 */
export function assertTime(time: { readonly at?: number | undefined } | undefined): void {
  if (time === undefined) return;
  if (typeof time !== 'object' || time === null) refuse('time', 'an object with at', time);
  const unknown = unknownField(time, timeFields);
  if (unknown !== null) throw new Fault('INPUT_INVALID', `${unknown} is no field of a time: there is at`);
  const { at } = time;
  if (at === undefined || isWhole(at, 0)) return;
  throw outOfRange('INPUT_INVALID', 'at', 'whole milliseconds from 0 on', at);
}

/** A cost is a whole number that at least an empty bucket of each limit could bear. */
export function assertCost(cost: number, policy: Policy): void {
  if (policy.kind !== 'rate') return;
  const { minor, moderate, severe } = policy.limits;
  const max = Math.min(minor, moderate, severe);
  assertWhole('INPUT_INVALID', 'cost', cost, 1, max);
}
