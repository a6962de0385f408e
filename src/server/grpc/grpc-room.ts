import { createCallerAddress } from '../../adapters/client-address.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { Fault } from '../../core/fault.ts';
import {
  createDescriptorLimiter,
  type DescriptorEvent,
  type DescriptorLimiter,
  type DescriptorVerdict,
} from '../../limits/descriptors/descriptor-limiter.ts';
import type { DomainDocument } from '../../limits/descriptors/domain-document.ts';
import type { LimitListener } from '../../limits/events.ts';
import type { Verdict } from '../../limits/index.ts';
import { judgeVisit } from '../judge-visit.ts';
import { limitListener, type Observation } from '../observation.ts';
import type { OpenRoom, RoomParts } from '../rooms.ts';
import { type GrpcListener, startGrpc } from './grpc-server.ts';
import { loadServices } from './service-definitions.ts';

/** What the limits by descriptor are called in events and metrics. */
const limiterName = 'envoy';

/**
 * Envoy's services on `listen.grpcPort`. The port is on by default and the packages are optional: where they are not
 * installed this is said, and the rest of the service goes on.
 */
export const openGrpcRoom: OpenRoom = async (parts) => {
  const { host, grpcPort, drainMs, maxConnections, requestTimeoutMs } = parts.config.listen;
  if (grpcPort === null || !(await isInstalled(parts))) return null;
  const { log } = parts.observation;
  const onFault = (error: unknown, route: string) =>
    log.error({ route, error }, 'a gRPC call met a fault of ours');
  const descriptors = openDescriptors(parts);
  let terms = termsOf(parts.config, parts);
  let listener: GrpcListener | null = null;
  return {
    name: 'grpc',
    start: async () => {
      listener = await startGrpc({
        host,
        port: grpcPort,
        limiter: {
          take: (call) => judgeVisit(call, { ...parts, onFault: (error) => onFault(error, 'ext_authz') }),
        },
        descriptors: countedDescriptors(descriptors, parts.observation),
        tokens: parts.tokens,
        addressOf: (peer, header) => terms.addressOf(peer, header),
        headers: () => terms.limits,
        userHeader: () => terms.limits.userHeader,
        connections: maxConnections,
        silentMs: requestTimeoutMs,
        drainMs,
        onFault,
      });
      return `gRPC for Envoy on ${host}:${listener.port}`;
    },
    prepare: (config, live) => {
      const next = termsOf(config, parts);
      const useDomains = live.includes('envoy') ? descriptors.prepare(config.envoy) : null;
      return () => {
        terms = next;
        if (useDomains === null) return;
        useDomains();
        nameDomains(config.envoy, parts.observation);
      };
    },
    close: async () => listener?.close(),
    status: () => ({ port: listener?.port ?? null, domains: terms.domains }),
  };
};

/** What a change of the configuration changes. */
function termsOf(
  { trustedProxies, forwardingHeader, limits, envoy }: ServiceConfig,
  { observation }: RoomParts,
) {
  return {
    limits,
    domains: envoy.length,
    addressOf: createCallerAddress({
      trustedProxies,
      forwardingHeader,
      warn: ({ code, message }) => {
        // Envoy writes x-forwarded-for itself, also where no proxy stands in front of it: nothing to warn of.
        if (code !== 'PORTCULLIS_PROXY_UNTRUSTED') observation.log.warn({ code }, message);
      },
    }),
  };
}

/** Refusals are counted by domain: it is named in the configuration, never by a client. */
function nameDomains(domains: readonly DomainDocument[], { metrics }: Observation): void {
  metrics.name({ limitRoutes: domains.map(({ domain }) => domain) });
}

async function isInstalled({ observation }: RoomParts): Promise<boolean> {
  try {
    await loadServices();
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    observation.log.warn({ code: error.code }, error.message);
    return false;
  }
}

function openDescriptors({ config, store, secrets, observation }: RoomParts): DescriptorLimiter {
  const tell = limitListener(observation, limiterName);
  nameDomains(config.envoy, observation);
  return createDescriptorLimiter({
    ...secrets,
    store,
    domains: config.envoy,
    environment: config.environment,
    onEvent: (event) => tell(asLimitEvent(event)),
  });
}

/** Counts requests by domain as calls are counted by route. */
function countedDescriptors(
  limiter: DescriptorLimiter,
  { metrics }: Observation,
): Pick<DescriptorLimiter, 'decideSoon'> {
  const counted = (domain: string, verdict: DescriptorVerdict) => {
    metrics.limit(asVerdict(domain, verdict.over));
    return verdict;
  };
  return {
    decideSoon: (domain, descriptors) => {
      const verdict = limiter.decideSoon(domain, descriptors);
      return verdict instanceof Promise
        ? verdict.then((later) => counted(domain, later))
        : counted(domain, verdict);
    },
  };
}

function asVerdict(domain: string, over: boolean): Verdict {
  return {
    allowed: !over,
    rule: over ? 'limit' : null,
    retryAfterMs: 0,
    caller: 'anonymous',
    route: domain,
    signIn: false,
    cost: 1,
    quota: null,
    skipped: null,
    shadow: null,
    mode: 'NORMAL',
    ticket: null,
  };
}

/** A domain stands where a route does. */
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
