import type { ServiceConfig } from '../../config/service-config.ts';

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
  const { listen } = config;
  if (mostFiles === null) return config;
  const ports = 1 + [listen.grpcPort, listen.spoePort].filter((port) => port !== null).length;
  const share = Math.max(fewestConnections, Math.floor((mostFiles - keptFiles) / ports));
  if (share >= listen.maxConnections) return config;
  return { ...config, listen: { ...listen, maxConnections: share } };
}
