import { isDeepStrictEqual } from 'node:util';
import {
  type BotVerifier,
  createBotVerifier,
  createScenarios,
  type ScenarioCounts,
  type Scenarios,
} from '../abuse/index.ts';
import { limiterSettingsOf, type ScenarioSettings, type ServiceConfig } from '../config/service-config.ts';
import { AuditTrail } from '../guard/audit-trail.ts';
import { capsMisfits } from '../guard/failure/caps-fit.ts';
import { readFailureOptions } from '../guard/failure/failure-options.ts';
import { defaultBreaker } from '../guard/failure/failure-policy.ts';
import { assembleGuard, type Guard } from '../guard/guard.ts';
import type { Pin } from '../guard/pins/pin.ts';
import { pinnedPolicies } from '../guard/pins/pinned-policies.ts';
import { Pins } from '../guard/pins/pins.ts';
import { createIdentifier } from '../identity/identifier.ts';
import type { Limiter } from '../limits/index.ts';
import { limiterAfter } from '../limits/limiter.ts';
import { clearingStore } from '../stores/clearing-store.ts';
import { GatewayPressure, type ServicePressure } from './gateway-pressure.ts';
import { LiveGuard, lentStore } from './live-guard.ts';
import { LiveLimiter } from './live-limiter.ts';
import {
  limitListener,
  nameConfigured,
  type Observation,
  observeGuard,
  pinListeners,
  pressureListener,
  scenarioListener,
} from './observation.ts';
import type { OpenedStore } from './open-store.ts';
import type { ServiceSecrets } from './secrets.ts';
import { sumOf } from './sum-of-counts.ts';

type Secrets = Omit<ServiceSecrets, 'isNew'>;

/** What decides: guard, limiter, scenarios and the pins over them. All of it can change while the service runs. */
export class LiveCore {
  readonly guard: LiveGuard;
  /** Every verdict of it is counted. */
  readonly limiter: LiveLimiter;
  readonly pins: Pins;
  /** The trail of what operators do about callers of the gateway; the guard writes the same one. */
  readonly audit: AuditTrail;
  readonly #opened: OpenedStore;
  readonly #secrets: Secrets;
  readonly #observation: Observation;
  #config: ServiceConfig;
  #pressure: GatewayPressure;
  #scenarios: Scenarios | null;
  /** What those before the present ones have counted. */
  #scenariosBefore: ScenarioCounts | null = null;
  /** Which pins the scenarios were made with. */
  #made = '';

  constructor(config: ServiceConfig, opened: OpenedStore, secrets: Secrets, observation: Observation) {
    this.#config = config;
    this.#opened = opened;
    this.#secrets = secrets;
    this.#observation = observation;
    this.pins = this.#openPins();
    const records = clearingStore(opened.store, (setAside) => {
      observation.metrics.fault('RECORD_CORRUPT');
      observation.log.error({ count: setAside }, 'the audit trail could not be read and was set aside');
    });
    this.audit = new AuditTrail(records, config.environment, pinListeners(observation).onAudit);
    this.guard = new LiveGuard(this.#makeGuard(config));
    observeGuard(observation, this.guard, { ...defaultBreaker, ...config.failure.breaker });
    this.#pressure = this.#makePressure(config);
    this.limiter = new LiveLimiter(this.#makeLimiter(config, this.#pressure, null), (verdict) =>
      observation.metrics.limit(verdict),
    );
    this.#scenarios = this.#makeScenarios(config);
    this.#pressure.start();
  }

  get config(): ServiceConfig {
    return this.#config;
  }

  get scenarios(): Scenarios | null {
    return this.#scenarios;
  }

  /** Of the services behind the gateway, now. */
  pressures(): readonly ServicePressure[] {
    return this.#pressure.now();
  }

  /** Since the start, however often scenarios were replaced; null where they are off. */
  scenarioCounts(): ScenarioCounts | null {
    return this.#scenarios === null ? null : sumOf(this.#scenariosBefore, this.#scenarios.counts());
  }

  /**
   * Makes what another configuration needs, and changes nothing; what it gives goes by that configuration from then on.
   *
   * @throws Fault `CONFIG_INVALID` when a part cannot be made
   */
  prepare(config: ServiceConfig, live: readonly string[]): () => void {
    const pressure = this.#watchesSame(config) ? this.#pressure : this.#makePressure(config);
    const limiter = live.includes('limits')
      ? this.#makeLimiter(config, pressure, this.limiter.current)
      : null;
    const scenarios = live.includes('scenarios') ? this.#makeScenarios(config) : this.#scenarios;
    const guard = live.includes('policies') ? this.#makeGuard(config, this.guard.current) : null;
    return () => {
      this.#config = config;
      nameConfigured(this.#observation.metrics, config);
      if (limiter !== null) this.#useLimiter(limiter, pressure);
      if (scenarios !== this.#scenarios) this.#useScenarios(scenarios);
      if (guard !== null) void this.guard.replace(guard);
    };
  }

  /** Ends it; the store and the logs stay, and are closed by whoever opened them. */
  async close(): Promise<void> {
    this.#pressure.stop();
    this.pins.close();
    await this.guard.close();
  }

  #useLimiter(limiter: Limiter, pressure: GatewayPressure): void {
    this.limiter.replace(limiter);
    if (pressure === this.#pressure) return;
    this.#pressure.stop();
    this.#pressure = pressure;
    pressure.start();
  }

  /** Then the watch is kept: a new one knows no pressure until the store has answered it. */
  #watchesSame({ limits }: ServiceConfig): boolean {
    return isDeepStrictEqual(limits.services, this.#config.limits.services);
  }

  #useScenarios(scenarios: Scenarios | null): void {
    this.#scenariosBefore = sumOf(this.#scenariosBefore, this.#scenarios?.counts() ?? null);
    this.#scenarios = scenarios;
  }

  #openPins(): Pins {
    const { most, longestMs, refreshMs } = this.#config.pins;
    const { onAudit, onFault } = pinListeners(this.#observation);
    return new Pins({
      store: this.#opened.store,
      environment: this.#config.environment,
      identifier: createIdentifier(this.#secrets),
      names: () => ({
        policies: this.#config.policies,
        scenarios: this.#config.scenarios.list.map(({ name }) => name),
      }),
      most,
      longestMs,
      refreshMs,
      onAudit,
      onFault,
      onChange: (pins) => this.#follow(pins),
    });
  }

  /** Guard and limiter look at the pins by themselves; scenarios are made with them. */
  #follow(pins: readonly Pin[]): void {
    pinListeners(this.#observation).onChange(pins);
    const made = pins
      .filter(({ kind }) => kind === 'scenario')
      .map(({ id }) => id)
      .join(' ');
    if (made === this.#made) return;
    this.#made = made;
    this.#useScenarios(this.#makeScenarios(this.#config));
  }

  /** @param before the guard that this one takes the place of: what it knows of failures of the store goes on */
  #makeGuard(config: ServiceConfig, before?: Guard): Guard {
    const { environment, failure, telemetry } = config;
    const { store, keepsDeadlines } = this.#opened;
    return assembleGuard({
      identifier: createIdentifier(this.#secrets),
      store: lentStore(store),
      policies: pinnedPolicies(config.policies, this.pins),
      environment,
      failure: readFailureOptions({
        ...failure,
        caps: before === undefined ? failure.caps : capsThatFit(config),
        ...(keepsDeadlines ? { deadlineMs: null } : {}),
        pinned: (policy) => this.pins.current.failureOf(policy),
      }),
      witness: this.#observation.decisionLog?.add,
      allowEventEvery: telemetry.allowEventEvery,
      before,
    });
  }

  #makePressure({ environment, limits }: ServiceConfig): GatewayPressure {
    const { services } = limits;
    return new GatewayPressure({
      services,
      store: this.#opened.store,
      environment,
      onFault: pressureListener(this.#observation),
    });
  }

  #makeLimiter(config: ServiceConfig, pressure: GatewayPressure, before: Limiter | null): Limiter {
    const { environment, limits } = config;
    return limiterAfter(before, {
      ...limiterSettingsOf(limits),
      ...this.#secrets,
      store: this.#opened.store,
      environment,
      limitFor: (call) => this.pins.current.limitFor(call),
      refillScale: (call) => pressure.scaleOf(call),
      onEvent: limitListener(this.#observation, limits.name),
      warn: ({ code, message }) => this.#observation.log.warn({ code }, message),
    });
  }

  #makeScenarios(config: ServiceConfig): Scenarios | null {
    const { environment, scenarios } = config;
    if (!scenarios.enabled) return null;
    const { list, allow, shadow, goodBots, mostDelayed } = scenarios;
    const running = list.filter(({ name }) => !this.pins.current.isScenarioOff(name));
    return createScenarios({
      ...this.#secrets,
      store: this.#opened.store,
      environment,
      scenarios: running,
      allow,
      shadow:
        typeof shadow === 'boolean'
          ? shadow
          : running.map(({ name }) => name).filter((name) => shadow.includes(name)),
      mostDelayed,
      goodBots: botVerifierOf(goodBots),
      limiter: this.limiter,
      onEvent: scenarioListener(this.#observation),
    });
  }
}

/** Caps need a restart, and policies do not: one may be gone, or another, before its caps are. */
function capsThatFit({ failure, policies }: ServiceConfig): ServiceConfig['failure']['caps'] {
  const misfits = new Set(capsMisfits(failure.caps, policies).map(({ policy }) => policy));
  return Object.fromEntries(Object.entries(failure.caps).filter(([name]) => !misfits.has(name)));
}

function botVerifierOf(goodBots: ScenarioSettings['goodBots']): BotVerifier | undefined {
  if (goodBots === false) return undefined;
  return createBotVerifier(goodBots === true ? {} : { bots: goodBots });
}
