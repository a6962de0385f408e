import type { KratosSettings, ServiceConfig } from '../../config/service-config.ts';
import { isRedisUrl } from '../../config/store-name.ts';
import { Fault } from '../../core/fault.ts';
import type { EventHub } from '../../guard/events.ts';
import { AddressRanges } from '../../identity/address-ranges.ts';
import type { TrustedPeers } from '../../kratos/client-ip.ts';
import { type CounterBackoff, createLoginBackoff } from '../../kratos/counter-backoff.ts';
import { defaultUpstreamConnections } from '../../kratos/defaults.ts';
import type { KratosEvents } from '../../kratos/events.ts';
import type { LoginBackoff } from '../../kratos/login-backoff.ts';
import { missingActions, missingActionsText } from '../../kratos/matrix-actions.ts';
import { MatrixBackoff } from '../../kratos/matrix-backoff.ts';
import { type ListeningProxy, startKratosProxy } from '../../kratos/proxy/start-proxy.ts';
import { policyName } from '../../kratos/store-watch.ts';
import { createWebhookAccess } from '../../kratos/webhook-access.ts';
import { createWebhooks } from '../../kratos/webhooks.ts';
import type { ExpiringCounters } from '../../stores/expiring-counters.ts';
import type { Observation } from '../observation.ts';
import { deadlineOf } from '../open-store.ts';
import type { OpenRoom, RoomParts } from '../rooms.ts';
import { trustedRanges } from '../trusted-ranges.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** Login backoff in front of Ory Kratos: the webhooks beside the other routes, the proxy on a port of its own. */
export const openKratosRoom: OpenRoom = async (parts) => {
  const { config, guard, observation, graceMs } = parts;
  const { kratos } = config;
  if (kratos === null) return null;
  const access = createWebhookAccess({
    ...kratos.webhooks,
    addresses: AddressRanges.of('kratos.webhooks.cidrs', kratos.webhooks.cidrs),
  });
  const counters = await countersOf(config);
  const counted = countingBackoff(kratos, parts, counters);
  const backoff: LoginBackoff =
    kratos.policy === 'matrix'
      ? new MatrixBackoff({ guard, onStoreFailure: kratos.onStoreFailure })
      : counted;
  observeKratos(observation, counted.events);
  if (backoff !== counted) observeKratos(observation, backoff.events);
  const modes = () => [{ policy: policyName, ...counted.status() }];
  observation.metrics.name({ policies: [policyName] });
  observation.metrics.state.followGuard({ modes });
  counted.announce();
  const trust = new ProxyTrust(config);
  let proxy: ListeningProxy | null = null;
  return {
    name: 'kratos',
    routes: webhookRoutes(createWebhooks(counted), access),
    ...(kratos.proxy.enabled
      ? {
          start: async () => {
            proxy = await startKratosProxy(proxyOptions(kratos, trust, backoff, observation));
            return `login proxy for Kratos on ${proxy.host}:${proxy.port}`;
          },
        }
      : {}),
    prepare: (next) => {
      // What is in front of Kratos stays until a restart, also where the file that names other policies names it no more.
      const missing = kratos.policy === 'matrix' ? missingActions(next.policies) : [];
      if (missing.length > 0) throw new Fault('CONFIG_INVALID', missingActionsText(missing));
      return trust.prepare(next);
    },
    close: async () => {
      try {
        await proxy?.close(config.listen.drainMs, graceMs);
      } finally {
        backoff.close();
        counted.close();
        await counters?.close();
      }
    },
    status: () => ({ by: kratos.policy, ...backoff.status(), port: proxy?.port ?? null }),
    modes,
  };
};

/** Whose forwarding headers count, now: the configuration may name others while the proxy runs. */
class ProxyTrust implements TrustedPeers {
  #ranges: AddressRanges;
  #hasUnix: boolean;

  constructor({ trustedProxies }: Pick<ServiceConfig, 'trustedProxies'>) {
    this.#ranges = trustedRanges(trustedProxies);
    this.#hasUnix = trustedProxies.includes('unix');
  }

  get hasUnix(): boolean {
    return this.#hasUnix;
  }

  hasPeer(peer: string): boolean {
    return this.#ranges.hasPeer(peer);
  }

  /** Changes nothing; what it gives goes by these proxies from then on. */
  prepare({ trustedProxies }: Pick<ServiceConfig, 'trustedProxies'>): () => void {
    const ranges = trustedRanges(trustedProxies);
    return () => {
      this.#ranges = ranges;
      this.#hasUnix = trustedProxies.includes('unix');
    };
  }
}

function countingBackoff(
  { policy: _, webhooks: __, proxy, upstreamUrl: ___, ...settings }: KratosSettings,
  { config, store, secrets, pinned }: RoomParts,
  counters: ExpiringCounters | null,
): CounterBackoff {
  return createLoginBackoff({
    ...settings,
    ...secrets,
    store,
    environment: config.environment,
    failure: { ...config.failure, deadlineMs: deadlineOf(config.store, config.failure), pinned },
    policy: config.policies.find(({ name }) => name === 'login'),
    resetOnSuccess: proxy.resetOnSuccess,
    ...(counters === null ? {} : { counters }),
  });
}

/** Redis counts by itself, as an existing deployment does. */
async function countersOf({ store, failure }: ServiceConfig): Promise<ExpiringCounters | null> {
  if (!isRedisUrl(store)) return null;
  const { createRedisCounters } = await import('../../stores/redis/index.ts');
  return createRedisCounters({ url: store, deadlineMs: deadlineOf(store, failure) });
}

function proxyOptions(
  { proxy, upstreamUrl }: KratosSettings,
  trust: ProxyTrust,
  backoff: LoginBackoff,
  { log }: Observation,
) {
  return {
    host: proxy.host,
    port: proxy.port,
    upstream: {
      url: upstreamUrl,
      timeoutMs: proxy.upstreamTimeoutMs,
      connections: Math.min(defaultUpstreamConnections, proxy.maxConnections),
    },
    connections: proxy.maxConnections,
    backoff,
    trustedProxies: trust,
    lockoutPath: proxy.lockoutPath,
    sessionCookie: proxy.sessionCookie,
    forwardedFor: proxy.forwardedFor,
    onFault: (error: unknown) =>
      log.error({ component: 'kratos', error }, 'the login proxy met a fault of ours'),
  };
}

function observeKratos({ log, metrics, feed }: Observation, events: EventHub<KratosEvents>): void {
  events.on('attempt', ({ by, allowed, reason, mode }) => {
    metrics.kratos(allowed ? 'allowed' : 'blocked', reason);
    feed.publish('kratos', { what: 'attempt', by, allowed, reason, mode }, allowed);
  });
  events.on('outcome', ({ by, outcome }) => {
    metrics.kratos(outcome);
    feed.publish('kratos', { what: 'outcome', by, outcome });
  });
  events.on('store', ({ fault }) => {
    if (fault !== null) metrics.fault(fault);
  });
  events.on('mode', ({ at, policy, from, to }) => {
    feed.publish('mode', { at, policy, from, to });
    log.warn({ component: 'kratos', from, to }, 'login backoff changed its mode');
  });
  events.on('breaker', (event) => {
    const { at, policy, what, entries } = event;
    metrics.breaker(event);
    feed.publish('breaker', { at, policy, what, entries });
  });
  events.on('critical', (event) => {
    const { at, policy, what, until } = event;
    metrics.critical(event);
    feed.publish('critical', { at, policy, what, until });
    log.error({ component: 'kratos', until }, 'login backoff is shut');
  });
  events.on('warning', ({ code, message }) => log.warn({ component: 'kratos', code }, message));
  events.on('listenerFault', ({ event, error }) =>
    log.error({ what: event, error }, 'a listener has thrown'),
  );
}
