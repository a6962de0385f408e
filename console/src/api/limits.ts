import { isObject, numberOf, textOf } from '../feed/feed-line.ts';
import { listIn } from './operating.ts';
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

/** A service behind the gateway. */
export interface GatewayService {
  readonly name: string;
  /** Null: all calls that are left. */
  readonly path: string | null;
  /** From 0 to 1. */
  readonly pressure: number;
}

/** The gateway's limiter, as the service tells it. */
export interface LimitsView {
  readonly signedIn: Rate;
  readonly anonymous: Rate;
  readonly routes: readonly RouteCost[];
  readonly otherCost: number;
  readonly services: readonly GatewayService[];
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
    services: listIn(limits, 'services').flatMap(serviceOf),
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

function serviceOf(value: unknown): GatewayService[] {
  if (!isObject(value)) return [];
  const { name, path, pressure } = value;
  return [{ name: textOf(name) ?? '', path: textOf(path), pressure: numberOf(pressure) }];
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
