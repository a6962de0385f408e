import { isNumber, isWhole, numberWords, wholeWords } from '../core/amounts.ts';
import { amountOf, Fault, shapeOf } from '../core/fault.ts';

/** What a number may be, and what it is when nothing is given. */
export interface NumberRule {
  readonly min: number;
  readonly max: number;
  /** Without one the number has to be given. */
  readonly default?: number;
  /** Default true. */
  readonly whole?: boolean;
}

/** Fields of a section by name. */
export type Section = Readonly<Record<string, unknown>>;

/** Reads options and gathers every problem, so that a bad configuration is told in one go. */
export class OptionReader {
  readonly #problems: string[] = [];

  problem(path: string, value: unknown, expected: string, got = shapeOf(value)): void {
    this.#problems.push(`${path || 'options'}: expected ${expected}, got ${got}`);
  }

  /** An object with only these fields; an empty one if it is absent or wrong. */
  section(path: string, value: unknown, fields: readonly string[]): Section {
    if (value === undefined) return {};
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.problem(path, value, 'an object');
      return {};
    }
    for (const field of Object.keys(value)) {
      if (!fields.includes(field)) this.#problems.push(`${join(path, field)}: unknown field`);
    }
    return Object.fromEntries(Object.entries(value));
  }

  number(path: string, value: unknown, rule: NumberRule): number {
    const { default: otherwise = rule.min } = rule;
    if (value === undefined && rule.default !== undefined) return otherwise;
    const { min, max, whole = true } = rule;
    if (isNumber(value, min, max) && (!whole || isWhole(value, min, max))) return value;
    this.problem(path, value, whole ? wholeWords(min, max) : numberWords(min, max), amountOf(value));
    return otherwise;
  }

  /** A section of numbers, each by its rule. */
  numbers<Name extends string>(
    path: string,
    value: unknown,
    rules: Readonly<Record<Name, NumberRule>>,
  ): Readonly<Record<Name, number>> {
    const names = Object.keys(rules) as Name[];
    const section = this.section(path, value, names);
    const read = names.map((name) => [name, this.number(join(path, name), section[name], rules[name])]);
    return Object.freeze(Object.fromEntries(read) as Record<Name, number>);
  }

  /** Ends the reading: throws one `Fault` of code `CONFIG_INVALID` that names every problem. */
  finish(): void {
    if (this.#problems.length > 0) throw new Fault('CONFIG_INVALID', this.#problems.join('; '));
  }
}

/** Whether a URL names a user or a password: neither undici nor fetch sends them. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** The path of a field within a section. */
function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
