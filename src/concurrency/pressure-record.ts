/**
 * The pressure of a service in the shared store: one record per service, in it one entry per node. The service's
 * pressure is the mean of its nodes', because a gateway spreads its traffic over them. A node that falls silent counts
 * in full for a while, then less and less, then not at all: neither a crash nor a lost store throttles for ever.
 */
import { Fault, shapeOf } from '../core/fault.ts';
import type { Key, Retention, StoredRecord } from '../core/records.ts';

/** One node's last word. */
export interface NodePressure {
  /** Thousandths, because records hold whole numbers. */
  readonly permille: number;
  readonly at: number;
}

export interface PressureRecord extends StoredRecord {
  readonly nodes: Readonly<Record<string, NodePressure>>;
}

/** A word counts in full for this long … */
export const FRESH_MS = 5_000;
/** … and not at all after this. */
const GONE_MS = 15_000;
/** Of more nodes than this the longest silent are forgotten; their mean says the same. */
const MOST_NODES = 256;
const RECORD_VERSION = 1;
const names = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

export const pressureRetention: Retention = { keepMs: GONE_MS, softMs: 0, hardMs: 0 };

/** @throws Fault `CONFIG_INVALID` when a name is not 1 to 64 letters, digits or `. _ @ -`, a letter or digit first. */
export function pressureKey(environment: string, service: string): Key<PressureRecord> {
  assertName('environment', environment);
  assertName('service', service);
  return { text: `portcullis:${environment}:concurrency:${RECORD_VERSION}:pressure:{${service}}`, was: null };
}

/** @throws Fault `CONFIG_INVALID`, see {@link pressureKey}. */
export function assertName(what: string, name: string): void {
  if (typeof name === 'string' && names.test(name)) return;
  throw new Fault(
    'CONFIG_INVALID',
    `${what} must be 1 to 64 letters, digits or . _ @ -, a letter or digit first, got ${shapeOf(name)}`,
  );
}

/** The record with this node's word in it. */
export function notePressure(
  record: PressureRecord | undefined,
  node: string,
  pressure: number,
  now: number,
): PressureRecord {
  const at = isHeard(record?.at ?? now, now) ? Math.max(now, record?.at ?? now) : now;
  const others = Object.entries(record?.nodes ?? {}).filter(
    ([name, said]) => name !== node && isHeard(said.at, at),
  );
  others.sort(([, a], [, b]) => b.at - a.at);
  const kept = others.slice(0, MOST_NODES - 1);
  return {
    at,
    nodes: { ...Object.fromEntries(kept), [node]: { permille: Math.round(pressure * 1_000), at } },
  };
}

/** The mean over the nodes that are still heard, 0 without any. */
export function meanPressure(record: PressureRecord | undefined, now: number): number {
  const said = Object.values(record?.nodes ?? {}).filter(({ at }) => isHeard(at, now));
  if (said.length === 0) return 0;
  const sum = said.reduce((total, { permille, at }) => total + fadedPressure(permille / 1_000, now - at), 0);
  return sum / said.length;
}

/** A word from far ahead is one from before the store's clock was set back: it would be fresh until then. */
function isHeard(at: number, now: number): boolean {
  return Math.abs(now - at) < GONE_MS;
}

/** What is left of a pressure that was last heard so long ago. */
export function fadedPressure(pressure: number, silentMs: number): number {
  const left = (GONE_MS - silentMs) / (GONE_MS - FRESH_MS);
  return pressure * Math.min(1, Math.max(0, left));
}
