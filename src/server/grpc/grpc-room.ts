import { Fault } from '../../core/fault.ts';
import {
  createDescriptorLimiter,
  type DescriptorEvent,
  type DescriptorLimiter,
} from '../../limits/descriptors/descriptor-limiter.ts';
import type { LimitListener } from '../../limits/events.ts';
import { limitListener } from '../observation.ts';
import type { OpenRoom, RoomParts } from '../rooms.ts';
import { loadGrpcLibrary } from './grpc-library.ts';
import { type GrpcListener, startGrpc } from './grpc-server.ts';

/** What the limits by descriptor are called in events and metrics. */
const limiterName = 'envoy';

/**
 * Envoy's services on `listen.grpcPort`. The port is on by default and the packages are optional: where they are not
 * installed this is said, and the rest of the service goes on.
 */
export const openGrpcRoom: OpenRoom = async (parts) => {
  const { config, observation } = parts;
  const { grpcPort } = config.listen;
  if (grpcPort === null || !(await isInstalled(parts))) return null;
  const descriptors = openDescriptors(parts);
  let listener: GrpcListener | null = null;
  return {
    name: 'grpc',
    start: async () => {
      listener = await startGrpc({
        host: config.listen.host,
        port: grpcPort,
        limiter: parts.limiter,
        descriptors,
        tokens: parts.tokens,
        trustedProxies: config.trustedProxies,
        standardHeaders: config.limits.standardHeaders,
        legacyHeaders: config.limits.legacyHeaders,
        drainMs: config.listen.drainMs,
        onFault: (error, route) => observation.log.error({ route, error }, 'a gRPC call met a fault of ours'),
        warn: ({ code, message }) => observation.log.warn({ code }, message),
      });
      return `gRPC for Envoy on ${config.listen.host}:${listener.port}`;
    },
    apply: ({ envoy }, live) => {
      if (live.includes('envoy')) descriptors.use(envoy);
    },
    close: async () => listener?.close(),
    status: () => ({ port: listener?.port ?? null, domains: config.envoy.length }),
  };
};

async function isInstalled({ observation }: RoomParts): Promise<boolean> {
  try {
    await loadGrpcLibrary();
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    observation.log.warn({ code: error.code }, error.message);
    return false;
  }
}

function openDescriptors({ config, store, secrets, observation }: RoomParts): DescriptorLimiter {
  const tell = limitListener(observation, limiterName);
  observation.metrics.name({ limitRoutes: config.envoy.map(({ domain }) => domain) });
  return createDescriptorLimiter({
    ...secrets,
    store,
    domains: config.envoy,
    environment: config.environment,
    onEvent: (event) => tell(asLimitEvent(event)),
  });
}

/** A domain stands where a route does: it is named in the configuration, never by a client. */
function asLimitEvent(event: DescriptorEvent): Parameters<LimitListener>[0] {
  if (event.type !== 'over-limit') return event;
  const { domain, hits, resetMs, shadow } = event;
  return {
    type: 'refused',
    rule: 'limit',
    caller: 'anonymous',
    route: domain,
    cost: Math.abs(hits),
    retryAfterMs: resetMs,
    shadow,
  };
}
