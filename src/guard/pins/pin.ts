import { assertNumber } from '../../core/amounts.ts';
import type { Rule } from '../../core/decision.ts';
import { DAY_MS, SECOND_MS } from '../../core/duration.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import { type Policy, rulesOf } from '../../core/policy.ts';
import type { Token } from '../../core/subject.ts';
import type { Identifier } from '../../identity/identifier.ts';

/** What holds for pins where nobody says otherwise. */
export const pinDefaults = { refreshMs: 2 * SECOND_MS, most: 64, longestMs: 30 * DAY_MS } as const;

/** What a pin holds in place, as it is stored: hashes in place of whom it is for. */
export type PinTarget =
  | {
      readonly kind: 'limit';
      readonly for: 'signedIn' | 'anonymous' | 'user' | 'network';
      /** Hash of the user or of the network; null for everybody of a kind. */
      readonly subject: string | null;
      readonly ratePerSecond: number;
      readonly burst: number | null;
    }
  | {
      readonly kind: 'failure';
      readonly policy: string;
      /** While the store is away: nobody passes, or those within the local caps do. */
      readonly mode: 'closed' | 'caps';
    }
  | { readonly kind: 'scenario'; readonly scenario: string }
  | { readonly kind: 'shadow'; readonly policy: string; readonly rule: Rule };

/** What an operator holds in place for a time, on all nodes. Carries no identifier. */
export type Pin = PinTarget & {
  /** Names what is pinned; a later pin of the same replaces it. */
  readonly id: string;
  readonly by: string;
  readonly why: string;
  /** Store time in ms. */
  readonly from: number;
  readonly until: number;
};

/** What an operator asks for, in clear. */
export type PinRequest =
  | ({ readonly kind: 'limit'; readonly ratePerSecond: number; readonly burst?: number | undefined } & (
      | { readonly for: 'signedIn' | 'anonymous' }
      | { readonly for: 'user'; readonly user: string }
      | { readonly for: 'network'; readonly ip: string }
    ))
  | { readonly kind: 'failure'; readonly policy: string; readonly mode: 'closed' | 'caps' }
  | { readonly kind: 'scenario'; readonly scenario: string }
  | { readonly kind: 'shadow'; readonly policy: string; readonly rule: Rule };

/** What a pin may name. */
export interface PinNames {
  readonly policies: readonly Policy[];
  readonly scenarios: readonly string[];
}

/**
 * The target of a request: checked, and with hashes in place of whom it is for.
 *
 * @throws Fault `INPUT_INVALID` that names the field.
 */
export function targetOf(request: PinRequest, names: PinNames, identifier: Identifier): PinTarget {
  switch (request.kind) {
    case 'limit':
      return limitTarget(request, identifier);
    case 'failure':
      assertPolicy(request.policy, names);
      assertOneOf('mode', request.mode, ['closed', 'caps']);
      return { kind: 'failure', policy: request.policy, mode: request.mode };
    case 'scenario':
      assertOneOf('scenario', request.scenario, names.scenarios);
      return { kind: 'scenario', scenario: request.scenario };
    case 'shadow':
      assertOneOf('rule', request.rule, rulesOf(assertPolicy(request.policy, names)));
      return { kind: 'shadow', policy: request.policy, rule: request.rule };
    default:
      throw new Fault('INPUT_INVALID', 'kind must be one of limit, failure, scenario, shadow');
  }
}

function limitTarget(request: Extract<PinRequest, { kind: 'limit' }>, identifier: Identifier): PinTarget {
  const { ratePerSecond, burst = null } = request;
  assertNumber('INPUT_INVALID', 'ratePerSecond', ratePerSecond, 0.001, 100_000);
  if (burst !== null) assertNumber('INPUT_INVALID', 'burst', burst, 2, 4);
  const limit = { kind: 'limit', ratePerSecond, burst } as const;
  switch (request.for) {
    case 'signedIn':
    case 'anonymous':
      return { ...limit, for: request.for, subject: null };
    case 'user':
      assertText('user', request.user, 256);
      return { ...limit, for: 'user', subject: tokenOf(request, identifier)?.hash ?? null };
    case 'network':
      return { ...limit, for: 'network', subject: tokenOf(request, identifier)?.hash ?? null };
    default:
      throw new Fault('INPUT_INVALID', 'for must be one of signedIn, anonymous, user, network');
  }
}

/** Whom a pin is for; null for everybody. Users are hashed as accounts; the address has no part in it. */
function tokenOf(request: PinRequest, identifier: Identifier): Token | null {
  if (request.kind !== 'limit') return null;
  if (request.for === 'network') return identifier.identify({ ip: request.ip }).network;
  if (request.for !== 'user') return null;
  return identifier.identify({ account: request.user, ip: '0.0.0.0' }).account;
}

/** All names that a pin of this target may have: while a rotation of the secret runs, one from before it has another hash. */
export function pinIds(
  request: PinRequest,
  target: PinTarget,
  identifier: Identifier,
): readonly [string, ...string[]] {
  const id = pinId(target);
  const was = tokenOf(request, identifier)?.was ?? null;
  return target.kind !== 'limit' || was === null ? [id] : [id, pinId({ ...target, subject: was })];
}

/** What is pinned, in a word that fits into a path. */
function pinId(target: PinTarget): string {
  switch (target.kind) {
    case 'limit':
      return target.subject === null ? `limit:${target.for}` : `limit:${target.for}:${target.subject}`;
    case 'failure':
      return `failure:${target.policy}`;
    case 'scenario':
      return `scenario:${target.scenario}`;
    case 'shadow':
      return `shadow:${target.policy}:${target.rule}`;
  }
}

export function assertText(field: string, value: unknown, most: number): void {
  if (typeof value === 'string' && value.length >= 1 && value.length <= most) return;
  throw new Fault(
    'INPUT_INVALID',
    `${field} must be a string of 1 to ${most} characters, got ${shapeOf(value)}`,
  );
}

function assertPolicy(name: string, { policies }: PinNames): Policy {
  const found = policies.find((policy) => policy.name === name);
  if (found !== undefined) return found;
  const known = policies.map((policy) => policy.name).join(', ');
  throw new Fault('INPUT_INVALID', `policy must be one of ${known}, got ${shapeOf(name)}`);
}

function assertOneOf(field: string, value: unknown, known: readonly string[]): void {
  if (typeof value === 'string' && known.includes(value)) return;
  throw new Fault('INPUT_INVALID', `${field} must be one of ${known.join(', ')}, got ${shapeOf(value)}`);
}
