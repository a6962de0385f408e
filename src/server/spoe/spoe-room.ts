import { createCallerAddress } from '../../adapters/client-address.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { judgeVisit } from '../judge-visit.ts';
import type { OpenRoom, RoomParts } from '../rooms.ts';
import { peerCheck } from './peer-check.ts';
import { defaultSpoeConnections, type SpoeListener, startSpoe } from './spoe-server.ts';

/** HAProxy's agent on `listen.spoePort`, where one is set. */
export const openSpoeRoom: OpenRoom = async (parts) => {
  const { host, spoePort, drainMs, maxConnections } = parts.config.listen;
  if (spoePort === null) return null;
  const { log } = parts.observation;
  const onFault = (error: unknown) => log.error({ error }, 'a SPOE message met a fault of ours');
  let terms = termsOf(parts.config, parts);
  let listener: SpoeListener | null = null;
  return {
    name: 'spoe',
    start: async () => {
      listener = await startSpoe({
        host,
        port: spoePort,
        limiter: { take: (call) => judgeVisit(call, { ...parts, onFault }) },
        mayConnect: (peer) => terms.mayConnect(peer),
        addressOf: (peer, header) => terms.addressOf(peer, header),
        headers: () => terms.limits,
        drainMs,
        connections: Math.min(defaultSpoeConnections, maxConnections),
        onFault,
      });
      return `SPOE agent for HAProxy on ${host}:${listener.port}`;
    },
    prepare: (config) => {
      const next = termsOf(config, parts);
      return () => {
        terms = next;
        listener?.recheck();
      };
    },
    close: async () => listener?.close(),
    status: () => ({ port: listener?.port ?? null }),
  };
};

/** What a change of the configuration changes. `xff` is the one header HAProxy tells of. */
function termsOf({ trustedProxies, limits }: ServiceConfig, { observation }: RoomParts) {
  return {
    limits,
    mayConnect: peerCheck(trustedProxies),
    addressOf: createCallerAddress({
      trustedProxies,
      warn: ({ code, message }) => observation.log.warn({ code }, message),
    }),
  };
}
