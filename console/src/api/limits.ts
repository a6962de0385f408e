import { isObject, numberOf, textOf } from '../feed/feed-line.ts';
import { ask, ServiceProblem } from './client.ts';
import { listIn, type Note } from './operating.ts';
import type { ServiceStatus } from './status.ts';

/** A steady rate and how many seconds of it may be spent at once. */
export interface Rate {
  readonly ratePerSecond: number;
  readonly burst: number;
}

export interface RouteCost {
  readonly method: string | null;
  readonly path: string;
  readonly cost: number;
  readonly isSignIn: boolean;
}

/** The gateway's limiter, as the service tells it. */
export interface LimitsView {
  readonly signedIn: Rate;
  readonly anonymous: Rate;
  readonly routes: readonly RouteCost[];
  readonly otherCost: number;
  /** Rules that decide and tell, but never refuse. */
  readonly shadow: readonly string[];
  /** Counts since the start, by what happened. */
  readonly counts: readonly (readonly [string, number])[];
}

/** The limits in a status, or null where it has none. */
export function limitsIn({ raw }: ServiceStatus): LimitsView | null {
  const { limits } = raw;
  if (!isObject(limits)) return null;
  return {
    signedIn: rateOf(limits.signedIn),
    anonymous: rateOf(limits.anonymous),
    routes: listIn(limits, 'routes').flatMap(routeOf),
    otherCost: numberOf(limits.otherCost) || 1,
    shadow: shadowOf(limits.shadow),
    counts: countsOf(limits.counts),
  };
}

function rateOf(value: unknown): Rate {
  const { ratePerSecond, burst } = isObject(value) ? value : {};
  return { ratePerSecond: numberOf(ratePerSecond), burst: numberOf(burst) };
}

function routeOf(value: unknown): RouteCost[] {
  if (!isObject(value)) return [];
  const { method, path, cost, signIn } = value;
  return [
    { method: textOf(method), path: textOf(path) ?? '', cost: numberOf(cost), isSignIn: signIn === true },
  ];
}

function shadowOf(value: unknown): string[] {
  if (value === true) return ['limit', 'auto-block'];
  return Array.isArray(value) ? value.filter((rule) => typeof rule === 'string') : [];
}

/** Counts may nest one level: `refused.limit`. */
function countsOf(value: unknown): (readonly [string, number])[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, count]) =>
    isObject(count)
      ? Object.entries(count).map(([part, number]) => [`${name}, ${part}`, numberOf(number)] as const)
      : [[name, numberOf(count)] as const],
  );
}

/** A limit that an operator has pinned for a time. */
export interface Pin {
  readonly name: string;
  /** What it holds, in words. */
  readonly what: string;
  readonly by: string;
  readonly why: string;
  readonly until: number;
}

/** Null where the service has no pins at all. */
export async function readPins(): Promise<{ readonly pins: readonly Pin[] | null }> {
  try {
    return { pins: listIn(await ask('GET', 'v1/pins'), 'pins').flatMap(pinOf) };
  } catch (cause) {
    if (cause instanceof ServiceProblem && cause.status === 404) return { pins: null };
    throw cause;
  }
}

function pinOf(value: unknown): Pin[] {
  if (!isObject(value)) return [];
  const { name, by, why, until, ...rest } = value;
  return [
    {
      name: textOf(name) ?? '?',
      by: textOf(by) ?? '?',
      why: textOf(why) ?? '',
      until: numberOf(until),
      what: Object.entries(rest)
        .filter(([field]) => field !== 'at')
        .map(([field, held]) => `${field} ${typeof held === 'object' ? JSON.stringify(held) : String(held)}`)
        .join(', '),
    },
  ];
}

export async function removePin(name: string, note: Note): Promise<void> {
  await ask('DELETE', `v1/pins/${encodeURIComponent(name)}`, note);
}
