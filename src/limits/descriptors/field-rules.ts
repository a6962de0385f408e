import { isWhole, wholeWords } from '../../core/amounts.ts';
import { amountOf, shapeOf } from '../../core/fault.ts';

/** One thing that is wrong with a document. Shows shapes, never values, but for a number where one was due. */
export interface DomainProblem {
  /** `envoy[0].descriptors[2].key` */
  readonly path: string;
  readonly message: string;
}

/** What a field takes: a test, and the same in words. */
export interface FieldRule {
  readonly needed?: boolean;
  readonly takes: string;
  /** What another value is told as. Default: its shape. */
  readonly tells?: (value: unknown) => string;
  accepts(value: unknown): boolean;
}

export type FieldRules = Readonly<Record<string, FieldRule>>;

export type Fields = Readonly<Record<string, unknown>>;

export const text = (least: number, most: number): FieldRule => ({
  takes: `a string of ${least} to ${most} characters`,
  accepts: (value) => typeof value === 'string' && value.length >= least && value.length <= most,
});

export const scalar = (most: number): FieldRule => ({
  takes: `a string of at most ${most} characters, a number or a boolean`,
  accepts: (value) =>
    (typeof value === 'string' && value.length <= most) ||
    Number.isFinite(value) ||
    typeof value === 'boolean',
});

export const integer = (least: number, most: number): FieldRule => ({
  takes: wholeWords(least, most),
  tells: amountOf,
  accepts: (value) => isWhole(value, least, most),
});

export const flag: FieldRule = {
  takes: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

export const list = (most: number): FieldRule => ({
  takes: `a list of at most ${most}`,
  accepts: (value) => Array.isArray(value) && value.length <= most,
});

export const fields: FieldRule = { takes: 'an object', accepts: isFields };

export const needed = (rule: FieldRule): FieldRule => ({ ...rule, needed: true });

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names every field that is missing, unknown or of the wrong shape. True when there is none. */
export function judgeFields(
  value: unknown,
  rules: FieldRules,
  path: string,
  problems: DomainProblem[],
): value is Fields {
  const before = problems.length;
  if (!isFields(value)) {
    problems.push({ path, message: `must be an object, got ${shapeOf(value)}` });
    return false;
  }
  for (const [name, rule] of Object.entries(rules)) {
    const inner = value[name];
    if (inner === undefined ? rule.needed : !rule.accepts(inner)) {
      const { takes, tells = shapeOf } = rule;
      problems.push({ path: `${path}.${name}`, message: `must be ${takes}, got ${tells(inner)}` });
    }
  }
  const known = Object.keys(rules);
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const shown = /^\w{1,64}$/.test(name) ? name : 'a field';
    problems.push({ path: `${path}.${shown}`, message: `is not known here; there are ${known.join(', ')}` });
  }
  return problems.length === before;
}
