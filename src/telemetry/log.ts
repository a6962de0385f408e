import { type DestinationStream, type Logger, pino } from 'pino';
import { assertNumber } from '../core/amounts.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import { cleanText } from './clean-text.ts';
import { LineBudget } from './line-budget.ts';
import { type LogFields, lineOf, mostMessageChars } from './log-fields.ts';
import { type LogLevel, logLevels } from './log-level.ts';
import { stdoutLines } from './stdout-lines.ts';

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

const optionKinds: OptionKinds<LogOptions> = {
  level: 'checked',
  destination: 'object',
  linesPerSecond: 'checked',
  clock: 'function',
};

/**
 * A log whose lines carry no identifier, whatever is handed in.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range.
 */
export function createLog(options: LogOptions = {}): Log {
  assertOptions('a log', options, optionKinds);
  const { level = 'info', clock = Date.now, linesPerSecond = 200 } = options;
  assertLevel(level);
  assertNumber('CONFIG_INVALID', 'linesPerSecond', linesPerSecond, 1, Number.POSITIVE_INFINITY);
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

function assertLevel(level: LogLevel): void {
  if (logLevels.includes(level)) return;
  throw new Fault('CONFIG_INVALID', `level must be one of ${logLevels.join(', ')}, got ${shapeOf(level)}`);
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
