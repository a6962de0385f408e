import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Gauge, Registry } from 'prom-client';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuard } from '../../src/index.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';
import { loadOtel } from '../../src/telemetry/otel/packages.ts';
import { startTracing, type Tracing, type TracingOptions } from '../../src/telemetry/otel/tracing.ts';
import { startService } from './service-under-test.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: OtlpBody;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean };
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

interface OtlpMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: {
    readonly isMonotonic: boolean;
    readonly dataPoints: readonly { asDouble: number; attributes: Attribute[] }[];
  };
  readonly gauge?: { readonly dataPoints: readonly unknown[] };
  readonly histogram?: {
    readonly dataPoints: readonly { count: number; bucketCounts: number[]; explicitBounds: number[] }[];
  };
}

interface OtlpBody {
  readonly resourceSpans?: readonly {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    resource: { attributes: Attribute[] };
    scopeMetrics: { metrics: OtlpMetric[] }[];
  }[];
}

/** A receiver of OTLP over HTTP that keeps what it gets. */
class Receiver {
  readonly received: Received[] = [];
  readonly #server = createServer((request, response) => {
    void text(request).then((body) => {
      this.received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(body) });
      response.writeHead(this.status, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  status = 200;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  spans(): OtlpSpan[] {
    return this.received.flatMap(({ body }) =>
      (body.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  metrics(): OtlpMetric[] {
    return this.received.flatMap(({ body }) =>
      (body.resourceMetrics ?? []).flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap(({ metrics }) => metrics),
      ),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
  );

describe('OpenTelemetry', () => {
  const receiver = new Receiver();
  let endpoint: string;
  let tracing: Tracing | null = null;

  beforeEach(async () => {
    receiver.received.length = 0;
    receiver.status = 200;
    endpoint ??= await receiver.start();
  });

  afterEach(async () => {
    await tracing?.close();
    tracing = null;
  });

  afterAll(() => receiver.close());

  const start = async (options: Partial<TracingOptions> = {}): Promise<Tracing> => {
    tracing = await startTracing({
      endpoint,
      serviceName: 'portcullis',
      traceRatio: 1,
      metricsEveryMs: 15_000,
      environment: 'test',
      version: '1.2.3',
      ...options,
    });
    return tracing;
  };

  it('gets a span for a request, with the decision and the store inside of it, and no identifier', async () => {
    const guard = createGuard({ secret: 'a secret of sixteen bytes or more' });
    const running = await start({ headers: { 'x-api-key': 'k' } });
    running.observeGuard(guard);
    const request = { action: 'auth.login', account: 'alice@example.org', ip: '203.0.113.7', ua: 'Curl/8' };
    await running.within({ method: 'POST', route: '/v1/fail' }, async () => {
      await guard.fail(request);
      return { status: 200 };
    });
    await running.flush();
    const spans = receiver.spans();
    const root = spans.find(({ name }) => name === 'POST /v1/fail');
    const decided = spans.find(({ name }) => name === 'decide login fail');
    const stored = spans.find(({ name }) => name === 'store fail');
    expect(decided?.parentSpanId).toBe(root?.spanId);
    expect(stored?.parentSpanId).toBe(root?.spanId);
    expect(valuesOf(root?.attributes ?? [])).toMatchObject({
      'http.route': '/v1/fail',
      'http.response.status_code': 200,
    });
    expect(valuesOf(decided?.attributes ?? [])).toMatchObject({
      'portcullis.policy': 'login',
      'portcullis.op': 'fail',
      'portcullis.outcome': 'ALLOW',
    });
    const traces = receiver.received.filter(({ path }) => path === '/v1/traces');
    expect(traces[0]?.headers['x-api-key']).toBe('k');
    const resource = traces[0]?.body.resourceSpans?.[0]?.resource.attributes ?? [];
    expect(valuesOf(resource)).toMatchObject({
      'service.name': 'portcullis',
      'service.version': '1.2.3',
      'deployment.environment.name': 'test',
    });
    expect(JSON.stringify(receiver.received)).not.toMatch(/alice|203\.0\.113|curl/i);
    await guard.close();
  });

  it('goes on with the trace of the caller', async () => {
    const running = await start({ traceRatio: 0 });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const ask = (traceparent: string) =>
      running.within({ method: 'POST', route: '/v1/check', traceparent }, async () => ({ status: 200 }));
    await ask(`00-${traceId}-b7ad6b7169203331-01`);
    await ask(`00-${traceId}-b7ad6b7169203332-00`);
    await ask('rubbish');
    await running.flush();
    expect(receiver.spans().map(({ traceId: id, parentSpanId }) => ({ id, parentSpanId }))).toEqual([
      { id: traceId, parentSpanId: 'b7ad6b7169203331' },
    ]);
  });

  it('marks what failed', async () => {
    const running = await start();
    const thrown = running.within({ method: 'GET', route: '/a' }, async () => {
      throw new TypeError('a bug about alice@example.org');
    });
    await expect(thrown).rejects.toThrow(TypeError);
    await running.within({ method: 'GET', route: '/b' }, async () => ({ status: 503 }));
    await running.flush();
    expect(receiver.spans().map(({ status }) => status.code)).toEqual([2, 2]);
    expect(JSON.stringify(receiver.received)).not.toContain('alice');
  });

  it('hears of what a client did wrong by its status, and not as a failure of ours', async () => {
    const under = await startService({
      telemetry: { logLevel: 'silent', otlpEndpoint: endpoint, traceRatio: 1 },
    });
    // Refused by the schema of the route, and by the guard, which throws.
    await under.ask('POST', '/v1/check', { nobody: 1 });
    await under.ask('POST', '/v1/check', { account: 'a1', ip: 'nowhere' });
    await under.ask('POST', '/v1/check', { account: 'a1', ip: '192.0.2.1' });
    await under.close();
    const asked = receiver.spans().filter(({ name }) => name === 'POST /v1/check');
    expect(
      asked.map(({ status, attributes }) => [
        valuesOf(attributes)['http.response.status_code'],
        status.code ?? 0,
      ]),
    ).toEqual([
      [400, 0],
      [400, 0],
      [200, 0],
    ]);
  });

  it('gets the numbers that Prometheus gets', async () => {
    const metrics = new Metrics({ version: '1.2.3', processMetrics: false });
    metrics.name({ policies: ['login'] });
    const guard = createGuard({ secret: 'a secret of sixteen bytes or more' });
    metrics.observeGuard(guard);
    const running = await start({ registry: metrics.registry });
    for (let n = 0; n < 3; n += 1) await guard.check({ action: 'auth.login', account: 'a', ip: '192.0.2.1' });
    await running.flush();
    const found = new Map(receiver.metrics().map((metric) => [metric.name, metric]));
    const decisions = found.get('portcullis_decisions_total');
    expect(decisions?.sum?.isMonotonic).toBe(true);
    expect(decisions?.sum?.dataPoints[0]?.asDouble).toBe(3);
    const seconds = found.get('portcullis_store_operation_seconds');
    const [point] = seconds?.histogram?.dataPoints ?? [];
    expect(seconds?.unit).toBe('s');
    expect(Number(point?.count)).toBe(3);
    expect(point?.bucketCounts.map(Number).reduce((sum, count) => sum + count)).toBe(3);
    expect(point?.bucketCounts).toHaveLength((point?.explicitBounds.length ?? 0) + 1);
    await guard.close();
  });

  it('gets no null in place of a number, which is what JSON makes of one that is not there', async () => {
    const registry = new Registry();
    const lag = new Gauge({ name: 'lag_seconds', help: 'Nothing was measured yet.', registers: [registry] });
    const load = new Gauge({
      name: 'load',
      help: 'Of two, one knows.',
      labelNames: ['of'],
      registers: [registry],
    });
    lag.set(Number.NaN);
    load.set({ of: 'a' }, Number.NaN);
    load.set({ of: 'b' }, 1);
    const running = await start({ registry });
    await running.flush();
    expect(JSON.stringify(receiver.received)).not.toContain('null');
    expect(receiver.metrics().map(({ name, gauge }) => [name, gauge?.dataPoints.length])).toEqual([
      ['load', 1],
    ]);
  });

  it('is told of exports that failed, and ends all the same', async () => {
    const faults: string[] = [];
    receiver.status = 400;
    const running = await start({ onFault: (signal) => faults.push(signal) });
    await running.within({ method: 'GET', route: '/a' }, async () => ({ status: 200 }));
    await running.flush();
    expect(faults).toContain('traces');
    await running.close();
  });

  it('says what to install when a package is missing', async () => {
    const load = () =>
      loadOtel(async (name) => {
        throw Object.assign(new TypeError(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
      });
    await expect(start({ load })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(
        /is not installed: npm install @opentelemetry\/api .*exporter-trace-otlp-http/,
      ),
    });
  });

  it.each([
    ['@opentelemetry/resources', { Resource: class {} }],
    [
      '@opentelemetry/sdk-trace-base',
      {
        BasicTracerProvider: class {
          addSpanProcessor() {
            return this;
          }
        },
      },
    ],
    [
      '@opentelemetry/sdk-metrics',
      {
        MeterProvider: class {
          addMetricReader() {
            return this;
          }
        },
      },
    ],
  ])('says so when %s is of the line before', async (old, exports) => {
    const load = () => loadOtel(async (name) => (name === old ? exports : import(name)));
    await expect(start({ load })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(`${old} is older than 2: npm install @opentelemetry/api@latest `),
    });
  });

  it('passes on what else goes wrong while a package is loaded', async () => {
    const load = () =>
      loadOtel(async () => {
        throw new RangeError('broken');
      });
    await expect(start({ load })).rejects.toThrow(RangeError);
  });
});
