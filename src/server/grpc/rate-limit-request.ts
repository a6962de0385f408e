import { Fault, shapeOf } from '../../core/fault.ts';
import type { Descriptor } from '../../limits/descriptors/descriptor-limiter.ts';
import type { DescriptorPair } from '../../limits/descriptors/descriptor-tree.ts';
import type { WindowUnit } from '../../limits/descriptors/window-unit.ts';

/** `RateLimitRequest`, as it comes off the wire: absent messages are null, absent scalars their default. */
export interface RateLimitRequestMessage {
  readonly domain: string;
  readonly descriptors: readonly DescriptorMessage[];
  readonly hits_addend: number;
}

interface DescriptorMessage {
  readonly entries: readonly DescriptorPair[];
  readonly limit: { readonly requests_per_unit: number; readonly unit: number } | null;
  readonly hits_addend: { readonly value: number } | null;
  readonly is_negative_hits: boolean;
}

/** A request that can be decided on. */
export interface RateLimitAsk {
  readonly domain: string;
  readonly descriptors: readonly Descriptor[];
}

/** Envoy's numbers of the units. */
export const unitNumbers: Readonly<Record<WindowUnit, number>> = {
  second: 1,
  minute: 2,
  hour: 3,
  day: 4,
  month: 5,
  year: 6,
  week: 7,
};
const unitOfNumber = new Map(
  Object.entries(unitNumbers).map(([unit, number]) => [number, unit as WindowUnit]),
);

const longestDomain = 256;
const mostDescriptors = 100;
const mostEntries = 32;
const mostHits = 2 ** 32 - 1;

/**
 * What a message asks. `hits_addend` of the request stands for 1 when it is 0; that of a descriptor is taken as it is, so
 * that 0 only looks. A value may be as long as the message: clients write them, as their paths and headers, and what is
 * refused here Envoy lets pass.
 *
 * @throws Fault `INPUT_INVALID` when something is missing or beyond the bounds; the message names it.
 */
export function readRateLimitRequest(message: RateLimitRequestMessage): RateLimitAsk {
  const { domain, descriptors, hits_addend: hits } = message;
  demand(
    domain.length >= 1 && domain.length <= longestDomain,
    `domain must be a string of 1 to ${longestDomain} characters, got ${shapeOf(domain)}`,
  );
  demand(
    descriptors.length >= 1 && descriptors.length <= mostDescriptors,
    `descriptors must be 1 to ${mostDescriptors}, got ${descriptors.length}`,
  );
  return {
    domain,
    descriptors: descriptors.map((descriptor, index) => readDescriptor(descriptor, index, hits || 1)),
  };
}

function readDescriptor(message: DescriptorMessage, index: number, requestHits: number): Descriptor {
  const { entries, limit, hits_addend: own, is_negative_hits: negative } = message;
  const place = `descriptors[${index}]`;
  demand(
    entries.length >= 1 && entries.length <= mostEntries,
    `${place}.entries must be 1 to ${mostEntries}, got ${entries.length}`,
  );
  for (const { key } of entries) demand(key !== '', `${place}.entries: a key is empty`);
  const hits = Math.min(mostHits, own === null ? requestHits : own.value);
  return { pairs: entries, limit: readOverride(limit, place), hits: negative ? -hits : hits };
}

function readOverride(limit: DescriptorMessage['limit'], place: string): Descriptor['limit'] {
  if (limit === null) return null;
  const unit = unitOfNumber.get(limit.unit);
  if (unit !== undefined) return { unit, requests: limit.requests_per_unit };
  throw new Fault('INPUT_INVALID', `${place}.limit.unit is no unit of time: ${shapeOf(limit.unit)}`);
}

function demand(holds: boolean, problem: string): void {
  if (!holds) throw new Fault('INPUT_INVALID', problem);
}
