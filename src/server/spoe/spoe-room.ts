import type { OpenRoom } from '../rooms.ts';
import { type SpoeListener, startSpoe } from './spoe-server.ts';

/** HAProxy's agent on `listen.spoePort`, where one is set. */
export const openSpoeRoom: OpenRoom = async ({ config, limiter, observation }) => {
  const { host, spoePort, drainMs } = config.listen;
  if (spoePort === null) return null;
  let listener: SpoeListener | null = null;
  return {
    name: 'spoe',
    start: async () => {
      listener = await startSpoe({
        host,
        port: spoePort,
        limiter,
        trustedProxies: config.trustedProxies,
        standardHeaders: config.limits.standardHeaders,
        legacyHeaders: config.limits.legacyHeaders,
        drainMs,
        onFault: (error) => observation.log.error({ error }, 'a SPOE message met a fault of ours'),
        warn: ({ code, message }) => observation.log.warn({ code }, message),
      });
      return `SPOE agent for HAProxy on ${host}:${listener.port}`;
    },
    close: async () => listener?.close(),
    status: () => ({ port: listener?.port ?? null }),
  };
};
