import { randomBytes } from 'node:crypto';
import { createSharedReading, type EventReading } from '../../abuse/event-reading.ts';
import type { RequestEntry } from '../../abuse/log-formats/log-entry.ts';
import type { RequestEvent } from '../../abuse/request-event.ts';
import { runScenarios } from '../../abuse/run-scenarios.ts';
import { readServiceConfig } from '../../config/read-service-config.ts';
import { type LimitSettings, limiterSettingsOf, type ScenarioSettings } from '../../config/service-config.ts';
import type { Policy } from '../../core/policy.ts';
import { createLimiter } from '../../limits/limiter.ts';
import type { MemoryStore } from '../../stores/memory/index.ts';
import { eventOnce, RequestDecider } from './request-decider.ts';

/** What decides in a replay: of a policy file, or of a service's configuration. */
export interface Rules {
  readonly policies: readonly Policy[];
  readonly limits: LimitSettings;
  readonly scenarios: ScenarioSettings;
}

/** Reads a policy file or the configuration of a service; without one, the defaults. The environment takes no part. */
export function readRules(file: string | undefined): Rules {
  const { policies, limits, scenarios } = readServiceConfig({ path: file, env: {} });
  return { policies, limits, scenarios };
}

/** How the requests of a log are read, by one side of a comparison or by both. */
export interface RequestReading {
  readonly secret: Uint8Array;
  readonly eventOf: (entry: RequestEntry) => RequestEvent;
  readonly reading: EventReading;
}

/** For all who decide on the same log. */
export function openRequestReading(): RequestReading {
  const secret = randomBytes(32);
  return { secret, eventOf: eventOnce(), reading: createSharedReading(secret) };
}

/** The limiter and the scenarios of the rules over a store of this run. */
export function requestDeciderOf(
  { limits, scenarios }: Rules,
  store: MemoryStore,
  { secret, eventOf, reading }: RequestReading = openRequestReading(),
): RequestDecider {
  const environment = 'replay';
  const settings = limiterSettingsOf(limits);
  const limiter = createLimiter({ ...settings, store, secret, environment, warn: () => {} });
  if (!scenarios.enabled) return new RequestDecider(limiter, null, eventOf);
  const { list, allow, shadow } = scenarios;
  const options = { scenarios: list, allow, shadow, secret, environment };
  return new RequestDecider(limiter, runScenarios(store.immediate, options, reading), eventOf);
}
