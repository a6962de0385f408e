import { performance } from 'node:perf_hooks';
import { BlockBook } from './block-book.ts';
import { DecisionTally } from './decision-tally.ts';
import type { Entrance } from './http/entrance.ts';
import type { LiveCore } from './live-core.ts';
import type { Observation } from './observation.ts';
import type { OpenedStore } from './open-store.ts';
import type { Room } from './rooms.ts';
import type { Route } from './route.ts';
import { authorizeRoutes } from './routes/authorize.ts';
import { batchRoutes } from './routes/batch.ts';
import { blockRoutes } from './routes/blocks.ts';
import { clientRoutes } from './routes/clients.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { eventRoutes } from './routes/events.ts';
import { explainRoutes } from './routes/explain.ts';
import { healthRoutes } from './routes/health.ts';
import { observeRoutes } from './routes/observe.ts';
import { pinRoutes } from './routes/pins.ts';
import { metricsRoutes, openApiRoutes } from './routes/self-description.ts';
import { statusRoutes } from './routes/status.ts';
import { targetRoutes } from './routes/targets.ts';
import { StorePulse } from './store-pulse.ts';
import { TargetBook } from './target-book.ts';

/** What the routes of a service stand on. */
export interface RoutesParts {
  readonly core: LiveCore;
  readonly entrance: Entrance;
  readonly opened: OpenedStore;
  readonly observation: Observation;
  readonly rooms: readonly Room[];
  readonly isDraining: () => boolean;
  readonly version: string;
}

/** Every endpoint of a service, those of its rooms too. */
export function serviceRoutes(parts: RoutesParts): readonly Route[] {
  const { core, opened, observation, rooms, isDraining, version } = parts;
  const pulse = new StorePulse(opened.store, () => performance.now());
  const storeAnswers = () => pulse.answers();
  const targets = targetBook(observation);
  observation.metrics.state.followTargets(() => targets.counts());
  observation.metrics.state.followPressures(() => core.pressures());
  const routes: Route[] = [
    ...coreRoutes(parts),
    ...healthRoutes({ storeAnswers, isDraining }),
    ...ownStatusRoutes(parts, storeAnswers, targets),
    ...targetRoutes(targets),
    ...rooms.flatMap((room) => room.routes ?? []),
    ...openApiRoutes(() => routes, version),
  ];
  return routes;
}

/** What clients report of loops and dropped passports is told wherever an operator may look. */
function targetBook({ feed, metrics, log }: Observation): TargetBook {
  return new TargetBook(
    () => performance.now(),
    (reporter, { requestId, hops }) => {
      feed.publish('loop', { reporter, requestId, hops });
      log.warn({ kind: 'SECURITY', reporter, requestId, hops }, 'a request went round in a loop');
    },
    (growth) => metrics.targets(growth),
  );
}

function coreRoutes({ core, entrance, observation: { feed, metrics, log } }: RoutesParts): Route[] {
  const { guard, limiter, pins } = core;
  const scenarios = () => core.scenarios;
  return [
    ...decisionRoutes(guard),
    ...batchRoutes(guard),
    ...authorizeRoutes({
      limiter,
      headers: () => core.config.limits,
      scenarios,
      onStranger: (header) => entrance.noteStranger(header),
      onFault: (error) => log.error({ error }, 'scenarios could not judge a request'),
    }),
    ...observeRoutes(scenarios),
    ...blockRoutes(guard, new BlockBook(guard, limiter, core.audit)),
    ...clientRoutes({ limiter, scenarios, audit: core.audit }),
    ...explainRoutes(guard),
    ...pinRoutes(pins, () => core.audit.now()),
    ...eventRoutes(feed),
    ...metricsRoutes(metrics),
  ];
}

function ownStatusRoutes(
  { core, opened, observation, rooms, isDraining, version }: RoutesParts,
  storeAnswers: () => Promise<boolean>,
  targets: TargetBook,
): Route[] {
  const tally = new DecisionTally(core.guard, core.config.telemetry.allowEventEvery);
  return statusRoutes({
    config: () => core.config,
    limiter: core.limiter,
    pressures: () => core.pressures(),
    scenarios: () => core.scenarios,
    scenarioCounts: () => core.scenarioCounts(),
    store: opened.kind,
    storeAnswers,
    decisions: () => tally.counts(),
    feed: () => observation.feed.counts(),
    targets: () => targets.counts(),
    isDraining,
    version,
    startedAt: Date.now(),
    clock: Date.now,
    modes: () => [...core.guard.modes(), ...rooms.flatMap((room) => room.modes?.() ?? [])],
    rooms: () => Object.fromEntries(rooms.map((room) => [room.name, room.status?.() ?? {}])),
  });
}
