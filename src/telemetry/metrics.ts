import { Registry } from 'prom-client';
import { rules } from '../core/decision.ts';
import { type FaultCode, faultCatalogue } from '../core/fault.ts';
import type { BreakerEvent, CriticalEvent, DecisionEvent, StoreEvent } from '../guard/events.ts';
import type { Guard } from '../guard/guard.ts';
import type { LimitEvent } from '../limits/events.ts';
import type { Verdict } from '../limits/verdict.ts';
import { Label } from './label.ts';
import { placedBlocks } from './placed-blocks.ts';
import { collectProcessMetrics } from './process-metrics.ts';
import { SpanTally } from './span-tally.ts';
import { StateGauges } from './state-gauges.ts';
import { Tally } from './tally.ts';

export interface MetricsOptions {
  /** Of Portcullis. */
  readonly version: string;
  /** How many ALLOW decisions one told event stands for; as the guard has it. Default 1. */
  readonly allowEventEvery?: number;
  /** Numbers of the process and of Node. Default true. */
  readonly processMetrics?: boolean;
}

/** What gets series of its own; whatever else turns up is counted as `other`. */
export interface MetricNames {
  readonly policies?: Iterable<string>;
  /** Patterns of the limiter's routes: `PUT /create`. */
  readonly limitRoutes?: Iterable<string>;
  /** Patterns of the service's own routes: `/v1/blocks/:id`. */
  readonly httpRoutes?: Iterable<string>;
  readonly scenarios?: Iterable<string>;
}

/** A request that the service has answered. Carries no identifier. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern of its route; null when there was none. */
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
}

const ops = ['check', 'fail', 'succeed', 'consume', 'probe'];
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS'];
const responses = ['degrade', 'block', 'shadow', 'skip'];
/** Somebody whom no scenario judges. */
const allScenarios = 'all';
const kratosResults = [
  'allowed',
  'blocked',
  'success',
  'likely-success',
  'failure',
  'unknown',
  'undelivered',
];
const kratosReasons = ['identifier', 'ip', 'store'];
const acts = ['placed', 'lifted', 'removed', 'pinned', 'unpinned'];

/** Numbers for Prometheus. Every label has a bounded set of values, fixed by the configuration and never by a client. */
export class Metrics {
  readonly registry = new Registry();
  readonly #policy = new Label();
  readonly #limitRoute = new Label([], 1000);
  readonly #httpRoute = new Label();
  readonly #scenario = new Label([allScenarios]);
  readonly #op = new Label(ops);
  readonly #rule = new Label(rules);
  readonly #limitRule = new Label(['limit', 'auto-block', 'blocked']);
  readonly #code = new Label(Object.keys(faultCatalogue));
  readonly #method = new Label(methods);
  readonly #response = new Label(responses);
  readonly #kratosResult = new Label(kratosResults);
  readonly #kratosReason = new Label(kratosReasons);
  readonly #act = new Label(acts);
  readonly #allowWeight: number;
  /** How things stand, beside what has happened. */
  readonly state: StateGauges;

  readonly #decisions = this.#tally(
    'portcullis_decisions_total',
    'Decisions, by what they were and the rule that named them.',
    ['policy', 'op', 'outcome', 'rule', 'mode'],
  );
  readonly #blocks = this.#tally('portcullis_blocks_total', 'Blocks that rules have set.', [
    'policy',
    'rule',
    'level',
  ]);
  readonly #shadows = this.#tally('portcullis_shadow_total', 'What rules in shadow would have done.', [
    'policy',
    'rule',
    'outcome',
  ]);
  readonly #faults = this.#tally('portcullis_faults_total', 'Faults, by code of the catalogue.', ['code']);
  readonly #trips = this.#tally('portcullis_breaker_trips_total', 'Times a breaker has tripped.', ['policy']);
  readonly #critical = this.#tally('portcullis_critical_total', 'Critical signals.', ['policy', 'what']);
  readonly #caps = this.#tally('portcullis_cap_refusals_total', 'Refusals by local caps.', ['policy', 'op']);
  readonly #acts = this.#tally('portcullis_operator_acts_total', 'Acts of operators.', ['what']);
  readonly #limits = this.#tally(
    'portcullis_limit_calls_total',
    'Calls the limiter has judged: allowed, refused, skipped, and those a rule in shadow would have refused.',
    ['result', 'rule', 'route'],
  );
  readonly #scenarios = this.#tally('portcullis_scenarios_total', 'Scenarios that spoke.', [
    'scenario',
    'response',
  ]);
  readonly #kratos = this.#tally('portcullis_kratos_total', 'Login attempts at the Kratos front.', [
    'result',
    'reason',
  ]);
  readonly #loops = this.#tally('portcullis_loops_total', 'Loops that service clients have reported.', []);
  readonly #droppedPassports = this.#tally(
    'portcullis_passports_dropped_total',
    'Passports that service clients have reported as not verified.',
    [],
  );
  readonly #requests = this.#tally('portcullis_http_requests_total', 'Requests the service has answered.', [
    'method',
    'route',
    'status',
  ]);
  readonly #reloads = this.#tally('portcullis_config_reloads_total', 'Configuration files read anew.', [
    'result',
  ]);
  readonly #feed = this.#tally('portcullis_feed_dropped_total', 'Subscribers dropped for being slow.', []);
  readonly #logLines = this.#tally('portcullis_decision_log_lines_total', 'Lines of the decision log.', [
    'result',
  ]);
  readonly #logFailures = this.#tally(
    'portcullis_decision_log_failures_total',
    'Times the decision log could not be written.',
    [],
  );

  readonly #storeSeconds = new SpanTally(
    this.registry,
    'portcullis_store_operation_seconds',
    'Time of one operation on the store, as the guard sees it.',
    ['op', 'result'],
    [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  );
  readonly #httpSeconds = new SpanTally(
    this.registry,
    'portcullis_http_request_seconds',
    'Time from a request’s head to its answer.',
    ['route'],
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  );

  constructor(options: MetricsOptions) {
    this.#allowWeight = options.allowEventEvery ?? 1;
    this.state = new StateGauges(this.registry, this.#policy, options.version);
    if (options.processMetrics ?? true) collectProcessMetrics(this.registry);
  }

  /** What the endpoint answers with. */
  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** To be told before it is counted. A new configuration may bring new names; old series stay. */
  name(names: MetricNames): void {
    this.#policy.name(names.policies ?? []);
    this.#limitRoute.name(names.limitRoutes ?? []);
    this.#httpRoute.name(names.httpRoutes ?? []);
    this.#scenario.name(names.scenarios ?? []);
  }

  /** Listens to everything a guard tells. */
  observeGuard(guard: Guard): void {
    guard.on('decision', (event) => this.decision(event));
    guard.on('store', (event) => this.store(event));
    guard.on('breaker', (event) => this.breaker(event));
    guard.on('critical', (event) => this.critical(event));
    guard.on('cap', ({ policy, op }) => this.#caps.add([this.#policy.of(policy), this.#op.of(op)]));
    guard.on('audit', ({ what }) => this.act(what));
    // Those of a policy come as failures of the store; what operators met does not.
    guard.on('corrupt', ({ policy }) => {
      if (policy === null) this.fault('RECORD_CORRUPT');
    });
    this.state.followGuard(guard);
  }

  breaker({ policy, what }: BreakerEvent): void {
    if (what === 'tripped') this.#trips.add([this.#policy.of(policy)]);
  }

  critical({ policy, what }: CriticalEvent): void {
    this.#critical.add([this.#policy.of(policy), what]);
  }

  decision(event: DecisionEvent): void {
    const { op, policy, decision } = event;
    const { outcome, rule, mode, shadow } = decision;
    const weight = outcome === 'ALLOW' && mode === 'NORMAL' ? this.#allowWeight : 1;
    const name = this.#policy.of(policy);
    this.#decisions.add([name, this.#op.of(op), outcome, this.#rule.of(rule), mode], weight);
    for (const reason of shadow ?? [])
      this.#shadows.add([name, this.#rule.of(reason.rule), reason.outcome], weight);
    for (const block of placedBlocks(event)) {
      this.#blocks.add([name, this.#rule.of(block.rule), String(block.level)]);
    }
  }

  store({ op, durationMs, fault }: StoreEvent): void {
    const result = fault === null ? 'ok' : this.#code.of(fault);
    this.#storeSeconds.add([this.#op.of(op), result], durationMs / 1000);
    if (fault !== null) this.fault(fault);
  }

  fault(code: FaultCode): void {
    this.#faults.add([this.#code.of(code)]);
  }

  /** One call at the limiter. */
  limit({ allowed, rule, route, skipped, shadow }: Verdict): void {
    const name = this.#limitRoute.of(route);
    const result =
      skipped !== null ? 'skipped' : allowed ? 'allowed' : rule === 'limit' ? 'refused' : 'blocked';
    this.#limits.add([result, this.#limitRule.of(rule), name]);
    if (shadow !== null) this.#limits.add(['shadowed', this.#limitRule.of(shadow.rule), name]);
  }

  /** What a limiter tells of its store; calls are counted by {@link limit}. */
  limitEvent(event: LimitEvent): void {
    if (event.type === 'store-failed') this.fault(event.code);
    if (event.type === 'record-corrupt') this.fault('RECORD_CORRUPT');
  }

  /** @param response what was done; `shadow` where it would have been, `skip` for those who are let through */
  scenario(scenario: string, response: 'degrade' | 'block' | 'shadow' | 'skip'): void {
    this.#scenarios.add([this.#scenario.of(scenario), this.#response.of(response)]);
  }

  /**
   * An attempt at the Kratos front, or how one has ended.
   *
   * @param reason why it was blocked
   */
  kratos(result: string, reason: string | null = null): void {
    this.#kratos.add([this.#kratosResult.of(result), this.#kratosReason.of(reason)]);
  }

  /** An act of an operator; those on blocks are heard from the guard. */
  act(what: string): void {
    this.#acts.add([this.#act.of(what)]);
  }

  /** What the report of a service client adds. */
  targets({ loops, droppedPassports }: { readonly loops: number; readonly droppedPassports: number }): void {
    this.#loops.add([], loops);
    this.#droppedPassports.add([], droppedPassports);
  }

  http({ method, route, status, durationMs }: AnsweredRequest): void {
    const name = this.#httpRoute.of(route);
    const code = Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : 'other';
    this.#requests.add([this.#method.of(method), name, code]);
    this.#httpSeconds.add([name], durationMs / 1000);
  }

  configReload(result: 'applied' | 'refused' | 'restart'): void {
    this.#reloads.add([result]);
  }

  subscriberDropped(): void {
    this.#feed.add([]);
  }

  /** Lines of the decision log that are in its file, or that are lost. */
  decisionLogLines(result: 'written' | 'dropped', count: number): void {
    this.#logLines.add([result], count);
  }

  decisionLogFailure(): void {
    this.#logFailures.add([]);
  }

  #tally<L extends string>(name: string, help: string, labels: readonly L[]): Tally<L> {
    return new Tally(this.registry, name, help, labels);
  }
}
