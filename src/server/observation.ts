import type { ScenarioListener } from '../abuse/index.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { Fault } from '../core/fault.ts';
import type { AuditEvent } from '../guard/events.ts';
import type { BreakerPolicy } from '../guard/failure/failure-policy.ts';
import type { Guard } from '../guard/guard.ts';
import type { Pin } from '../guard/pins/pin.ts';
import type { LimitListener } from '../limits/events.ts';
import type { DecisionLog } from '../telemetry/decision-log/decision-log.ts';
import { feedOf, limitFeed, showAudit } from '../telemetry/feed-of.ts';
import { LiveFeed } from '../telemetry/live-feed.ts';
import type { Log } from '../telemetry/log.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { openDecisionLog } from './open-decision-log.ts';
import { logOutages } from './outage-lines.ts';
import type { Route } from './route.ts';

/** What a service tells about itself, and to whom. */
export interface Observation {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly feed: LiveFeed;
  /** Null when none is configured. */
  readonly decisionLog: DecisionLog | null;
}

/** The numbers, the feed and the decision log of a service. */
export function openObservation(config: ServiceConfig, log: Log, version: string): Observation {
  const { telemetry } = config;
  const metrics = new Metrics({ version, allowEventEvery: telemetry.allowEventEvery });
  nameConfigured(metrics, config);
  let dropped = 0;
  const feed = new LiveFeed({
    ...telemetry.feed,
    onSubscribers: (count) => {
      metrics.state.subscribers(count);
      for (const total = feed.counts().dropped; dropped < total; dropped += 1) metrics.subscriberDropped();
    },
  });
  return { log, metrics, feed, decisionLog: openDecisionLog(config, log, metrics) };
}

/** Listens to a guard. What somebody has to look at is logged as well; decisions are not: they are in the feed. */
export function observeGuard(
  { log, metrics, feed }: Observation,
  guard: Guard,
  breaker: BreakerPolicy,
): void {
  metrics.observeGuard(guard);
  feedOf(feed, guard);
  logOutages(log, guard, breaker);
  guard.on('critical', ({ policy, what, until }) =>
    log.error({ policy, what, until }, 'a policy is shut: the store keeps failing'),
  );
  guard.on('corrupt', ({ policy, op, setAside }) =>
    log.error({ ...(policy !== null && { policy }), op, count: setAside }, 'a stored record cannot be read'),
  );
  guard.on('degradedEpoch', ({ policy, admitted }) =>
    log.warn({ policy, count: admitted }, 'a policy is on its store again'),
  );
  guard.on('audit', ({ what, block, by, why, unsure }) =>
    log.info({ what, block, by, why }, actWords(unsure)),
  );
  guard.on('listenerFault', ({ event, error }) => log.error({ what: event, error }, 'a listener has thrown'));
}

/** What a limiter tells, to be handed to it. */
export function limitListener({ log, metrics, feed }: Observation, name: string): LimitListener {
  const show = limitFeed(feed, name);
  return (event) => {
    metrics.limitEvent(event);
    show(event);
    if (event.type === 'store-failed' && event.paused) {
      log.warn({ limiter: name, code: event.code }, 'the limiter decides without its store');
    }
    if (event.type === 'store-recovered') log.warn({ limiter: name }, 'the limiter is on its store again');
    if (event.type === 'record-corrupt') {
      log.error({ limiter: name, count: event.setAside }, 'a stored record cannot be read');
    }
  };
}

/** Told every second while the store does not answer; of that others tell in the log. */
export function pressureListener({ log, metrics }: Observation): (cause: unknown) => void {
  return (cause) => {
    const code = cause instanceof Fault ? cause.code : 'INVARIANT_BROKEN';
    metrics.fault(code);
    log.debug({ code }, 'the pressure of services could not be read; what is known of it fades');
  };
}

/** What scenarios tell, to be handed to them. */
export function scenarioListener({ log, metrics, feed }: Observation): ScenarioListener {
  return (event) => {
    const { type: _, ...fields } = event;
    feed.publish('scenario', fields);
    if (event.what === 'skipped') metrics.scenario(event.scenario ?? 'all', 'skip');
    else if (event.what === 'failed') {
      metrics.fault(event.code);
      log.warn({ what: event.doing, code: event.code }, 'scenarios could not use the store');
    } else if (event.what === 'corrupt') {
      metrics.fault('RECORD_CORRUPT');
      log.error({ what: 'scenarios', count: event.setAside }, 'a stored record cannot be read');
    } else {
      metrics.scenario(
        event.scenario,
        event.shadow ? 'shadow' : event.what === 'blocked' ? 'block' : 'degrade',
      );
    }
  };
}

/** Blocks on callers of the gateway are told here too: their acts have the id of a block, those of pins that of a pin. */
const subjectOf = ({ what, block }: AuditEvent) =>
  what === 'pinned' || what === 'unpinned' ? { pin: block } : { block };

const actWords = (unsure: true | undefined): string =>
  unsure ? 'an operator acted, and the store failed: it may have been done or not' : 'an operator acted';

/** What pins tell, to be handed to them. */
export function pinListeners({ log, metrics, feed }: Observation) {
  return {
    onAudit: (act: AuditEvent) => {
      showAudit(feed, act);
      metrics.act(act.what);
      log.info({ ...subjectOf(act), what: act.what, by: act.by, why: act.why }, actWords(act.unsure));
    },
    onFault: ({ code }: Fault) => {
      if (code === 'RECORD_CORRUPT') metrics.fault(code);
      log.warn({ code }, 'pins could not be read; those known stay until they end');
    },
    onChange: (pins: readonly Pin[]) => {
      for (const kind of pinKinds) metrics.state.pins(kind, pins.filter((pin) => pin.kind === kind).length);
      feed.publish('pin', { pins: pins.map(({ id, until }) => ({ id, until })) });
    },
  };
}

const pinKinds = ['limit', 'failure', 'scenario', 'shadow'] as const;

/** What a configuration names is counted by its name, what comes with a later one too. */
export function nameConfigured(metrics: Metrics, { policies, limits, scenarios }: ServiceConfig): void {
  metrics.name({
    policies: policies.map(({ name }) => name),
    limitRoutes: limits.routes.map(({ method, path }) => (method === undefined ? path : `${method} ${path}`)),
    scenarios: scenarios.list.map(({ name }) => name),
  });
}

/** Requests are counted by the patterns of their routes, never by what was asked for. */
export function nameRoutes(metrics: Metrics, routes: readonly Route[]): void {
  metrics.name({ httpRoutes: routes.map(({ path }) => path) });
}
