import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Registry } from 'prom-client';
import type { DecisionEvent, StoreEvent } from '../../guard/events.ts';
import type { Guard } from '../../guard/guard.ts';
import { registryProducer } from './metric-bridge.ts';
import { loadOtel, type OtelPackages } from './packages.ts';
import { parseTraceParent } from './traceparent.ts';

export interface TracingOptions {
  /** Where OTLP over HTTP is spoken: `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  /** Sent with every export. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  readonly environment: string;
  /** Share of traces that begin here and are recorded, from 0 to 1. */
  readonly traceRatio: number;
  readonly metricsEveryMs: number;
  /** Its numbers are exported too. */
  readonly registry?: Registry;
  /** Told when an export failed; what was in it is lost. */
  readonly onFault?: (signal: 'traces' | 'metrics') => void;
  /** For tests. */
  readonly load?: typeof loadOtel;
}

/** A request to the service, as far as its span tells. */
export interface TracedRequest {
  readonly method: string;
  /** The pattern of the route, never the path. */
  readonly route: string;
  /** The header, if the caller sent one. */
  readonly traceparent?: string | undefined;
}

/** Spans and numbers for OpenTelemetry. Spans carry no identifiers. */
export interface Tracing {
  /** Runs a request within a span; what a guard does meanwhile becomes part of it. `run` gives the status. */
  within<T extends { readonly status: number }>(request: TracedRequest, run: () => Promise<T>): Promise<T>;
  /** Makes spans of what a guard tells. */
  observeGuard(guard: Guard): void;
  /** Sends what waits. */
  flush(): Promise<void>;
  /** Sends what waits and ends. Takes a bounded time, also without a receiver. */
  close(): Promise<void>;
}

const exportTimeoutMs = 5000;

/**
 * Starts to export over OTLP. Nothing is registered globally.
 *
 * @throws Fault `CONFIG_INVALID` when a package of OpenTelemetry is not installed.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const packages = await (options.load ?? loadOtel)();
  const { resourceFromAttributes } = packages['@opentelemetry/resources'];
  const resource = resourceFromAttributes({
    'service.name': options.serviceName,
    'service.version': options.version,
    'deployment.environment.name': options.environment,
  });
  const { BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } =
    packages['@opentelemetry/sdk-trace-base'];
  const traces = new BasicTracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.traceRatio) }),
    spanProcessors: [new BatchSpanProcessor(spanExporter(packages, options))],
  });
  const { MeterProvider, PeriodicExportingMetricReader } = packages['@opentelemetry/sdk-metrics'];
  const { registry, metricsEveryMs } = options;
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: metricExporter(packages, options),
        exportIntervalMillis: metricsEveryMs,
        exportTimeoutMillis: Math.min(exportTimeoutMs, metricsEveryMs),
        metricProducers: registry === undefined ? [] : [registryProducer(registry, packages, Date.now())],
      }),
    ],
  });
  return new OtlpTracing(packages, traces.getTracer('portcullis'), [traces, meters]);
}

const signalUrl = (endpoint: string, signal: string): string =>
  `${endpoint.replace(/\/+$/, '')}/v1/${signal}`;

function exporterConfig({ endpoint, headers = {} }: TracingOptions, signal: string) {
  return { url: signalUrl(endpoint, signal), headers: { ...headers }, timeoutMillis: exportTimeoutMs };
}

/** The exporters keep their failures to themselves; here they are told. */
function spanExporter(packages: OtelPackages, options: TracingOptions): SpanExporter {
  const { OTLPTraceExporter } = packages['@opentelemetry/exporter-trace-otlp-http'];
  const exporter = new OTLPTraceExporter(exporterConfig(options, 'traces'));
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== 0) options.onFault?.('traces');
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

function metricExporter(packages: OtelPackages, options: TracingOptions): PushMetricExporter {
  const { OTLPMetricExporter } = packages['@opentelemetry/exporter-metrics-otlp-http'];
  const exporter = new OTLPMetricExporter(exporterConfig(options, 'metrics'));
  return {
    export: (metrics, done) =>
      exporter.export(metrics, (result) => {
        if (result.code !== 0) options.onFault?.('metrics');
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
    selectAggregationTemporality: (type) => exporter.selectAggregationTemporality(type),
    selectAggregation: (type) => exporter.selectAggregation(type),
  };
}

interface Provider {
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

class OtlpTracing implements Tracing {
  readonly #api: OtelPackages['@opentelemetry/api'];
  readonly #tracer: Tracer;
  readonly #providers: readonly Provider[];
  readonly #running = new AsyncLocalStorage<Context>();

  constructor(packages: OtelPackages, tracer: Tracer, providers: readonly Provider[]) {
    this.#api = packages['@opentelemetry/api'];
    this.#tracer = tracer;
    this.#providers = providers;
  }

  async within<T extends { readonly status: number }>(
    request: TracedRequest,
    run: () => Promise<T>,
  ): Promise<T> {
    const { method, route } = request;
    const parent = this.#parentOf(request);
    const kind = this.#api.SpanKind.SERVER;
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = this.#tracer.startSpan(`${method} ${route}`, { kind, attributes }, parent);
    try {
      const answer = await this.#running.run(this.#api.trace.setSpan(parent, span), run);
      span.setAttribute('http.response.status_code', answer.status);
      if (answer.status >= 500) this.#mark(span);
      return answer;
    } catch (error) {
      this.#mark(span);
      throw error;
    } finally {
      span.end();
    }
  }

  observeGuard(guard: Guard): void {
    guard.on('store', (event) => this.#storeSpan(event));
    guard.on('decision', (event) => this.#decisionSpan(event));
  }

  async flush(): Promise<void> {
    await Promise.allSettled(this.#providers.map((provider) => provider.forceFlush()));
  }

  /** A receiver that is away at the end is no reason to fail the end: it was told with the last export. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#providers.map((provider) => provider.shutdown()));
  }

  #parentOf({ traceparent }: TracedRequest): Context {
    const parent = parseTraceParent(traceparent);
    const root = this.#api.ROOT_CONTEXT;
    return parent === null ? root : this.#api.trace.setSpanContext(root, { ...parent, isRemote: true });
  }

  #storeSpan({ policy, op, durationMs, fault }: StoreEvent): void {
    const attributes = {
      'portcullis.policy': policy,
      'portcullis.op': op,
      ...(fault && { 'error.type': fault }),
    };
    const span = this.#past(`store ${op}`, this.#api.SpanKind.CLIENT, attributes, durationMs);
    if (fault !== null) this.#mark(span);
    span.end();
  }

  #decisionSpan({ op, action, policy, decision }: DecisionEvent): void {
    const { outcome, level, rule, scope, mode, deferred } = decision;
    const attributes: Attributes = {
      'portcullis.policy': policy,
      'portcullis.action': action,
      'portcullis.op': op,
      'portcullis.outcome': outcome,
      'portcullis.level': level,
      'portcullis.mode': mode,
      'portcullis.deferred': deferred,
      ...(rule && { 'portcullis.rule': rule }),
      ...(scope && { 'portcullis.scope': scope }),
    };
    this.#past(`decide ${policy} ${op}`, this.#api.SpanKind.INTERNAL, attributes, 0).end();
  }

  /** A span of something that has just ended. */
  #past(name: string, kind: number, attributes: Attributes, durationMs: number): Span {
    const startTime = new Date(Date.now() - durationMs);
    const parent = this.#running.getStore() ?? this.#api.ROOT_CONTEXT;
    return this.#tracer.startSpan(name, { kind, attributes, startTime }, parent);
  }

  #mark(span: Span): void {
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
  }
}
