import type { ServiceConfig } from './service-config.ts';
import { isTree, type Tree, valueAt } from './tree.ts';

/**
 * Parts that a running service takes over as they are. All others were used up at the start: sockets that are open, a
 * store that is connected, keys that are in use. `docs/reference/config.md` lists the same.
 */
export const liveParts = [
  'tokens',
  'trustedProxies',
  'forwardingHeader',
  'policies',
  'limits',
  'scenarios',
  'envoy',
  'telemetry.logLevel',
] as const;

/** What a new configuration means for a running service. */
export interface ConfigChange {
  /** The new one, but with the running one's values in all parts that need a restart. */
  readonly config: ServiceConfig;
  /** Parts that differ and can be taken over. */
  readonly live: readonly string[];
  /** Parts that differ and stay as they are until the service is started anew. */
  readonly needsRestart: readonly string[];
}

/**
 * Compares a configuration with the running one. Another environment has other keys: then everything stays, because
 * its limits are not meant for the records of this one.
 */
export function changeBetween(running: ServiceConfig, next: ServiceConfig): ConfigChange {
  const differing = partsOf(running, next).filter((part) => !isSame(at(running, part), at(next, part)));
  if (differing.includes('environment')) {
    return { config: running, live: [], needsRestart: differing };
  }
  const live = differing.filter(isLive);
  const needsRestart = differing.filter((part) => !isLive(part));
  return {
    config: needsRestart.length === 0 ? next : keeping(running, next, needsRestart),
    live,
    needsRestart,
  };
}

const isLive = (part: string): boolean => (liveParts as readonly string[]).includes(part);
const at = (config: ServiceConfig, part: string): unknown => valueAt(config, part.split('.'));

/** Top-level fields, and the fields below those that are live in part. A section that comes or goes is one part. */
function partsOf(running: ServiceConfig, next: ServiceConfig): string[] {
  const split = new Set(liveParts.filter((part) => part.includes('.')).map((part) => part.split('.')[0]));
  return Object.keys(next).flatMap((field) => {
    const [before, after] = [at(running, field), at(next, field)];
    if (!split.has(field) || !isTree(before) || !isTree(after)) return [field];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((inner) => `${field}.${inner}`);
  });
}

/** Configurations are plain data with their fields in one order, so their text tells. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTree(value)) return value;
  const fields = Object.keys(value).sort();
  return Object.fromEntries(fields.map((field) => [field, sorted(value[field])]));
}

function keeping(running: ServiceConfig, next: ServiceConfig, parts: readonly string[]): ServiceConfig {
  const kept: Record<string, unknown> = { ...next };
  for (const part of parts) {
    const [field = '', inner] = part.split('.');
    const value = at(running, part);
    kept[field] = inner === undefined ? value : Object.freeze({ ...(kept[field] as Tree), [inner]: value });
  }
  return Object.freeze({ ...next, ...kept });
}
