import { type DestinationStream, type Logger, pino } from 'pino';
import { Fault } from '../core/fault.ts';
import { cleanText } from './clean-text.ts';
import { LineBudget } from './line-budget.ts';
import type { LogLevel } from './log-level.ts';
import { stdoutLines } from './stdout-lines.ts';

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

/** Writes JSON lines. */
export interface Log {
  trace(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  fatal(fields: LogFields, message: string): void;
  /** Whether a line of this level would be written; for work that is only done for the line. */
  writes(level: Exclude<LogLevel, 'silent'>): boolean;
  setLevel(level: LogLevel): void;
}

export interface LogOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /**
   * Default: stdout, written before the call returns. What stdout does not take waits, up to 1 MiB; more is lost and
   * counted.
   */
  readonly destination?: DestinationStream;
  /** The most lines a second below `error`, and as many errors; more are counted and told of. Default 200. */
  readonly linesPerSecond?: number;
  /** Milliseconds; default `Date.now`. */
  readonly clock?: () => number;
}

type Writing = Exclude<LogLevel, 'silent'>;

/** A log whose lines carry no identifier, whatever is handed in. */
export function createLog(options: LogOptions = {}): Log {
  const { level = 'info', clock = Date.now, linesPerSecond = 200 } = options;
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":${Math.round(clock())}`,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? stdoutLines((count) => lostLine(count, clock())),
  );
  return new BoundedLog(logger, new LineBudget(linesPerSecond, clock));
}

/** Written past pino: it stands among lines that pino has written long ago. */
function lostLine(count: number, nowMs: number): string {
  const msg = 'log lines were lost: stdout did not take them';
  return `${JSON.stringify({ level: 'warn', time: Math.round(nowMs), count, msg })}\n`;
}

class BoundedLog implements Log {
  readonly #logger: Logger;
  readonly #budget: LineBudget;

  constructor(logger: Logger, budget: LineBudget) {
    this.#logger = logger;
    this.#budget = budget;
  }

  trace(fields: LogFields, message: string): void {
    this.#write('trace', fields, message);
  }
  debug(fields: LogFields, message: string): void {
    this.#write('debug', fields, message);
  }
  info(fields: LogFields, message: string): void {
    this.#write('info', fields, message);
  }
  warn(fields: LogFields, message: string): void {
    this.#write('warn', fields, message);
  }
  error(fields: LogFields, message: string): void {
    this.#write('error', fields, message);
  }
  fatal(fields: LogFields, message: string): void {
    this.#write('fatal', fields, message);
  }

  writes(level: Writing): boolean {
    return this.#logger.isLevelEnabled(level);
  }

  setLevel(level: LogLevel): void {
    this.#logger.level = level;
  }

  #write(level: Writing, fields: LogFields, message: string): void {
    if (!this.#logger.isLevelEnabled(level)) return;
    if (level !== 'fatal' && !this.#budget.allows(level === 'error')) return;
    this.#tellHidden();
    this.#logger[level](lineOf(fields), cleanText(message, mostMessageChars));
  }

  /** At the level `error` only errors can have been left out, and that is as grave. */
  #tellHidden(): void {
    const count = this.#budget.hidden;
    const level = this.writes('warn') ? 'warn' : 'error';
    if (count === 0 || !this.writes(level)) return;
    this.#logger[level]({ count }, 'log lines were left out: too many a second');
    this.#budget.toldHidden();
  }
}

const mostMessageChars = 500;
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

function lineOf(fields: LogFields): Record<string, Shown> {
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
