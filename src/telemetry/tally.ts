import { Counter, type Registry } from 'prom-client';
import { Series } from './series.ts';

/**
 * A counter whose hot path is a few looks into maps: its numbers reach the registry when they are asked for. The labels
 * must be bounded before they come here.
 */
export class Tally<L extends string> {
  readonly #names: readonly L[];
  readonly #counts = new Series(() => ({ count: 0 }));

  constructor(registry: Registry, name: string, help: string, labelNames: readonly L[]) {
    this.#names = labelNames;
    const counts = this.#counts;
    const labelsOf = (values: readonly string[]) => this.#labelsOf(values);
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, value } of counts.all()) this.inc(labelsOf(labels), value.count);
      },
    });
  }

  /** @param values in the order of the label names */
  add(values: readonly string[], count = 1): void {
    this.#counts.at(values).count += count;
  }

  #labelsOf(values: readonly string[]): Record<L, string> {
    return Object.fromEntries(this.#names.map((label, index) => [label, values[index] ?? ''])) as Record<
      L,
      string
    >;
  }
}
