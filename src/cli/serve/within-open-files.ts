import type { ServiceConfig } from '../../config/service-config.ts';
import { defaultUpstreamConnections } from '../../kratos/defaults.ts';

/** For the store, logs, files that are read and what Node itself has open. */
const keptFiles = 128;
const fewestConnections = 16;

/**
 * The configuration with as many connections as the process may open: each is a file. Where these run out the system turns everybody
 * away and tells nobody, while at a bound of ours idle connections make room.
 *
 * @param mostFiles null: nobody knows
 */
export function withinOpenFiles(config: ServiceConfig, mostFiles: number | null): ServiceConfig {
  if (mostFiles === null) return config;
  const { listen, kratos } = config;
  const most = Math.max(fewestConnections, fairShare(wantedConnections(config), mostFiles - keptFiles));
  const bounded = <T extends { readonly maxConnections: number }>(door: T): T =>
    door.maxConnections <= most ? door : { ...door, maxConnections: most };
  return {
    ...config,
    listen: bounded(listen),
    kratos: kratos === null ? null : { ...kratos, proxy: bounded(kratos.proxy) },
  };
}

/** What there is less of than was asked for, a line for each. */
export function fewerConnections(asked: ServiceConfig, config: ServiceConfig): readonly string[] {
  const { maxConnections } = config.listen;
  const front = config.kratos?.proxy.maxConnections ?? 0;
  const lines: string[] = [];
  if (maxConnections < asked.listen.maxConnections)
    lines.push(`${maxConnections} at once for each port of the service`);
  if (front < (asked.kratos?.proxy.maxConnections ?? 0))
    lines.push(`${front} at once for the login proxy, and no more to Kratos`);
  return lines;
}

/** One for each port; the front of Kratos has two pools of connections to Kratos besides. */
function wantedConnections({ listen, kratos }: ServiceConfig): readonly number[] {
  const ports = 1 + [listen.grpcPort, listen.spoePort].filter((port) => port !== null).length;
  const wanted = Array<number>(ports).fill(listen.maxConnections);
  if (kratos === null || !kratos.proxy.enabled) return wanted;
  const { maxConnections } = kratos.proxy;
  const upstream = Math.min(defaultUpstreamConnections, maxConnections);
  return [...wanted, maxConnections, upstream, upstream];
}

/** The bound under which all of them together have what there is; what some do not want is for the others. */
function fairShare(wanted: readonly number[], files: number): number {
  let left = files;
  const rising = wanted.toSorted((a, b) => a - b);
  for (const [index, want] of rising.entries()) {
    const share = Math.floor(left / (rising.length - index));
    if (want > share) return share;
    left -= want;
  }
  return Number.POSITIVE_INFINITY;
}
