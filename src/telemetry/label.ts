/** Stands for every value that has no series of its own. */
const otherLabel = 'other';

/**
 * The values a label may have. Only what the host has named in advance gets a series; whatever else turns up, however
 * often and in whatever spelling, is `other`. Nothing a client sends can add a series.
 */
export class Label {
  readonly #known = new Set<string>();
  readonly #most: number;

  /** @param most values that may be named in all, also by later configurations */
  constructor(values: Iterable<string> = [], most = 600) {
    this.#most = most;
    this.name(values);
  }

  /** Adds values, while there is room. */
  name(values: Iterable<string>): void {
    for (const value of values) {
      if (this.#known.size < this.#most && isLabelText(value)) this.#known.add(value);
    }
  }

  of(value: string | null | undefined): string {
    if (value === null || value === undefined) return 'none';
    return this.#known.has(value) ? value : otherLabel;
  }
}

/** Printable and short: a route pattern, a name. */
const isLabelText = (text: string): boolean => text.length <= 200 && !/[\p{Cc}\u2028\u2029]/u.test(text);
