import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';
import { Series } from './series.ts';

type Exported<L extends string> = MetricObjectWithValues<MetricValueWithName<L>>;

interface Spans {
  /** How many fell into each bucket alone; the last counts those above all bounds. */
  readonly buckets: number[];
  seconds: number;
}

/**
 * A histogram of durations whose hot path is a few looks into maps and one sum; prom-client's own checks and hashes its
 * labels anew for each observation. The labels must be bounded before they come here.
 */
export class SpanTally<L extends string> extends Histogram<L> {
  readonly #name: string;
  readonly #labels: readonly L[];
  readonly #bounds: readonly number[];
  readonly #spans: Series<Spans>;

  /** @param bounds upper bounds of the buckets in seconds, rising */
  constructor(
    registry: Registry,
    name: string,
    help: string,
    labels: readonly L[],
    bounds: readonly number[],
  ) {
    super({ name, help, labelNames: [...labels], buckets: [...bounds], registers: [registry] });
    this.#name = name;
    this.#labels = labels;
    this.#bounds = bounds;
    this.#spans = new Series(() => ({ buckets: new Array<number>(bounds.length + 1).fill(0), seconds: 0 }));
  }

  /** @param values in the order of the label names */
  add(values: readonly string[], seconds: number): void {
    const spans = this.#spans.at(values);
    const bucket = this.#bucketOf(seconds);
    spans.buckets[bucket] = (spans.buckets[bucket] ?? 0) + 1;
    spans.seconds += seconds;
  }

  override get(): Promise<Exported<L>> {
    return this.getForPromString();
  }

  /** What the registry asks for when it writes the text. */
  async getForPromString(): Promise<Exported<L>> {
    const values = this.#spans.all().flatMap(({ labels, value }) => this.#valuesOf(labels, value));
    return { ...(await this.#frame()), values };
  }

  /** What prom-client says of a histogram without observations. Its types do not know the method it is asked by. */
  #frame(): Promise<Exported<L>> {
    return Reflect.apply(Reflect.get(Histogram.prototype, 'getForPromString'), this, []);
  }

  #bucketOf(seconds: number): number {
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket += 1;
    return bucket;
  }

  /** Prometheus wants each bucket to hold those below it too. */
  #valuesOf(labelValues: readonly string[], { buckets, seconds }: Spans): MetricValueWithName<L>[] {
    const labels = Object.fromEntries(this.#labels.map((label, index) => [label, labelValues[index] ?? '']));
    let count = 0;
    const cumulated = buckets.map((held, bucket) => {
      count += held;
      const le = this.#bounds[bucket] ?? '+Inf';
      return pointOf<L>(`${this.#name}_bucket`, { le, ...labels }, count);
    });
    return [
      ...cumulated,
      pointOf<L>(`${this.#name}_sum`, labels, seconds),
      pointOf<L>(`${this.#name}_count`, labels, count),
    ];
  }
}

function pointOf<L extends string>(
  metricName: string,
  labels: Readonly<Record<string, string | number>>,
  value: number,
): MetricValueWithName<L> {
  return { metricName, labels: labels as MetricValueWithName<L>['labels'], value };
}
