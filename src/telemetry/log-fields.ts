import { Fault } from '../core/fault.ts';
import { cleanText } from './clean-text.ts';

/**
 * Everything a log line can carry. The set is closed: there is no field for an address, an account, a User-Agent, a
 * device, a header, a path or a body, and what is not listed here is left out at run time too.
 */
export interface LogFields {
  /** `SECURITY` for what a watch over attacks should read. */
  readonly kind?: 'SECURITY';
  readonly policy?: string;
  readonly op?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly level?: number;
  readonly rule?: string | null;
  readonly scope?: string | null;
  readonly mode?: string;
  readonly from?: string;
  readonly to?: string;
  readonly what?: string;
  /** A code of the catalogue of faults, of Node or of a warning. */
  readonly code?: string;
  readonly method?: string;
  /** The pattern, never the path. */
  readonly route?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly count?: number;
  readonly connections?: number;
  readonly entries?: number;
  readonly until?: number;
  readonly environment?: string;
  readonly store?: string;
  readonly host?: string;
  readonly port?: number;
  readonly version?: string;
  /** The name of a token. */
  readonly caller?: string | null;
  readonly requestId?: string;
  /** The name of a service client that reports its targets. */
  readonly reporter?: string;
  /** Slug keys of the services that a request went through. */
  readonly hops?: readonly string[];
  /** Id of a block or a pin: hashes only. */
  readonly block?: string;
  readonly pin?: string;
  readonly by?: string;
  readonly why?: string;
  readonly limiter?: string;
  readonly scenario?: string;
  readonly response?: string;
  readonly component?: string;
  readonly file?: string;
  readonly fields?: readonly string[];
  readonly problems?: readonly string[];
  /** Kind, words and place of an error, where it is not handed in whole. */
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string | undefined;
  /** Of an error that is no fault of ours only its name, code and place are shown. */
  readonly error?: unknown;
}

/** Of a message, and of each text in a list. */
export const mostMessageChars = 500;
const mostListed = 50;

type Shown = string | number | boolean | null | readonly string[] | object;

/** Which fields there are, and how each is shown. */
const shows: { readonly [F in keyof Required<LogFields>]: (value: unknown) => Shown | undefined } = {
  kind: word,
  policy: word,
  op: word,
  action: word,
  outcome: word,
  level: amount,
  rule: word,
  scope: word,
  mode: word,
  from: word,
  to: word,
  what: word,
  code: word,
  method: word,
  route: word,
  status: amount,
  durationMs: amount,
  count: amount,
  connections: amount,
  entries: amount,
  until: amount,
  environment: word,
  store: word,
  host: place,
  port: amount,
  version: word,
  caller: word,
  requestId: word,
  reporter: word,
  hops: words,
  block: word,
  pin: word,
  by: word,
  why: word,
  limiter: word,
  scenario: word,
  response: word,
  component: word,
  file: place,
  fields: words,
  problems: words,
  name: word,
  message: sentence,
  stack: (value) => (typeof value === 'string' ? framesOf(value) : undefined),
  error: errorShape,
};

/** The fields as a line has them: cleaned, and without what it has no field for. */
export function lineOf(fields: LogFields): Record<string, Shown> {
  const line: Record<string, Shown> = {};
  let dropped = 0;
  for (const [field, value] of Object.entries(fields)) {
    const show = Object.hasOwn(shows, field) ? shows[field as keyof LogFields] : undefined;
    const shown = show?.(value);
    // `level` is pino's own name for how grave a line is.
    if (shown !== undefined) line[field === 'level' ? 'blockLevel' : field] = shown;
    else if (value !== undefined) dropped += 1;
  }
  if (dropped > 0) line.droppedFields = dropped;
  return line;
}

function word(value: unknown): Shown | undefined {
  if (value === null) return null;
  return typeof value === 'string' ? cleanText(value) : undefined;
}

function sentence(value: unknown): Shown | undefined {
  return typeof value === 'string' ? cleanText(value, mostMessageChars) : undefined;
}

/** Our own address or file: an address may be shown here. */
function place(value: unknown): Shown | undefined {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 500)).slice(1, -1) : undefined;
}

function amount(value: unknown): Shown | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function words(value: unknown): Shown | undefined {
  if (!Array.isArray(value)) return undefined;
  const listed: readonly unknown[] = value.slice(0, mostListed);
  return listed.map((entry) =>
    typeof entry === 'string' ? cleanText(entry, mostMessageChars) : typeof entry,
  );
}

/** Our faults show shapes, never contents; the message of anything else may quote what it was given. */
function errorShape(error: unknown): object {
  if (error instanceof Fault) {
    const { code, message, cause } = error;
    const shown = { code, message: cleanText(message, mostMessageChars) };
    return cause === undefined ? shown : { ...shown, cause: foreignShape(cause) };
  }
  return foreignShape(error);
}

function foreignShape(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, stack = '' } = error;
  const code = 'code' in error && typeof error.code === 'string' ? { code: cleanText(error.code, 64) } : {};
  return { name: cleanText(name, 64), ...code, at: framesOf(stack) };
}

/** Where it was thrown, without the message that stands before. */
function framesOf(stack: string): readonly string[] {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => cleanText(line.trim()));
}
