import type { HrTime, ValueType } from '@opentelemetry/api';
import type { DataPoint, Histogram, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { Registry } from 'prom-client';
import type { OtelPackages } from './packages.ts';

/** A metric as the registry of Prometheus gives it. */
interface PromMetric {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly PromValue[];
}

interface PromValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string;
}

/** Hands the numbers of the registry to OpenTelemetry, so that both tell the same under the same names. */
export function registryProducer(
  registry: Registry,
  packages: OtelPackages,
  startedAtMs: number,
): MetricProducer {
  const { resourceFromAttributes } = packages['@opentelemetry/resources'];
  const bridge = new MetricBridge(packages, startedAtMs);
  return {
    async collect() {
      const found = (await registry.getMetricsAsJSON()) as readonly PromMetric[];
      const metrics = found.flatMap((metric) => bridge.toOtel(metric, Date.now()));
      const scope = { name: 'portcullis' };
      return {
        resourceMetrics: { resource: resourceFromAttributes({}), scopeMetrics: [{ scope, metrics }] },
        errors: [],
      };
    },
  };
}

class MetricBridge {
  readonly #sdk: OtelPackages['@opentelemetry/sdk-metrics'];
  readonly #valueType: ValueType;
  readonly #start: HrTime;

  constructor(packages: OtelPackages, startedAtMs: number) {
    this.#sdk = packages['@opentelemetry/sdk-metrics'];
    this.#valueType = packages['@opentelemetry/api'].ValueType.DOUBLE;
    this.#start = hrTime(startedAtMs);
  }

  toOtel(metric: PromMetric, nowMs: number): MetricData[] {
    // Node's mean lag is none right after it was read; in JSON that would be a null where a number has to be.
    const values = metric.values.filter(({ value }) => !Number.isNaN(value));
    if (values.length === 0) return [];
    const { name, help: description } = metric;
    const frame = {
      descriptor: { name, description, unit: unitOf(name), valueType: this.#valueType },
      aggregationTemporality: this.#sdk.AggregationTemporality.CUMULATIVE,
    };
    const { DataPointType } = this.#sdk;
    const numbers = () => values.map(({ value, labels }) => this.#point(labels, value, nowMs));
    if (metric.type === 'counter') {
      return [{ ...frame, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers() }];
    }
    if (metric.type === 'gauge')
      return [{ ...frame, dataPointType: DataPointType.GAUGE, dataPoints: numbers() }];
    if (metric.type !== 'histogram') return [];
    const dataPoints = histograms(values).map(([labels, value]) => this.#point(labels, value, nowMs));
    return [{ ...frame, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
  }

  #point<T>(labels: PromValue['labels'], value: T, nowMs: number): DataPoint<T> {
    return { startTime: this.#start, endTime: hrTime(nowMs), attributes: { ...labels }, value };
  }
}

/** One histogram per set of labels; Prometheus counts upwards, OpenTelemetry each bucket on its own. */
function histograms(values: readonly PromValue[]): readonly (readonly [PromValue['labels'], Histogram])[] {
  const groups = new Map<string, PromValue[]>();
  for (const value of values) {
    const key = JSON.stringify(withoutBound(value.labels));
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups.values()].map((group) => [withoutBound(group[0]?.labels ?? {}), histogramOf(group)]);
}

function histogramOf(group: readonly PromValue[]): Histogram {
  const endingIn = (suffix: string) => group.filter(({ metricName }) => metricName?.endsWith(suffix));
  const buckets = endingIn('_bucket').map(({ labels, value }) => ({ bound: Number(labels.le), value }));
  const boundaries = buckets.map(({ bound }) => bound).filter((bound) => Number.isFinite(bound));
  const [count = 0] = endingIn('_count').map(({ value }) => value);
  const [sum = 0] = endingIn('_sum').map(({ value }) => value);
  const upTo = [...buckets.filter(({ bound }) => Number.isFinite(bound)).map(({ value }) => value), count];
  const counts = upTo.map((value, index) => value - (upTo[index - 1] ?? 0));
  return { buckets: { boundaries, counts }, sum, count };
}

function withoutBound({ le: _, ...labels }: PromValue['labels']): PromValue['labels'] {
  return labels;
}

const unitOf = (name: string): string =>
  /_seconds(_total)?$/.test(name) ? 's' : /_bytes$/.test(name) ? 'By' : '';

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1_000_000)];
