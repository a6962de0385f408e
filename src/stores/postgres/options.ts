import { assertWhole } from '../../core/amounts.ts';
import { LONGEST_TIMER_MS } from '../../core/duration.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import { assertOptions, type OptionKinds } from '../../core/options.ts';
import { defaultDeadlineMs } from '../default-deadline.ts';
import type { PostgresPool } from './pool.ts';

/** How a PostgreSQL store reaches its server and what it may cost. One of `pool` and `connectionString` is needed. */
export interface PostgresStoreOptions {
  /** A pool of the host's own, of `pg` 8 or newer. It is used, never ended. */
  readonly pool?: PostgresPool;
  /** `postgres://…`; the store makes a pool of its own, for which the package `pg` has to be installed. */
  readonly connectionString?: string;
  /** Connections of a pool of its own. Default 8. */
  readonly maxConnections?: number;
  /** The schema of its tables; made where it is missing. Lower-case letters, digits, `_`. Default `portcullis`. */
  readonly schema?: string;
  /** How long a call may take, in milliseconds. Default 50. */
  readonly deadlineMs?: number;
  /**
   * After how many written records expired ones are looked for; besides, with the first that a process writes. Default 1,000; 0:
   * never.
   */
  readonly sweepEveryWrites?: number;
  /** How many expired records one sweep drops at most. Default 2,000. */
  readonly maxSweptRecords?: number;
  /** Told of faults that no call waits for: of the sweep, of a connection lost while idle. Default: they are dropped. */
  readonly onFault?: (fault: Fault) => void;
}

/** Options with every default filled in. */
export type PostgresSettings = Required<Omit<PostgresStoreOptions, 'pool' | 'connectionString'>>;

const optionKinds: OptionKinds<PostgresStoreOptions> = {
  pool: 'object',
  connectionString: 'text',
  maxConnections: 'checked',
  schema: 'checked',
  deadlineMs: 'checked',
  sweepEveryWrites: 'checked',
  maxSweptRecords: 'checked',
  onFault: 'function',
};

/** @throws Fault `CONFIG_INVALID` with the name of the option that is wrong. */
export function settingsOf(options: PostgresStoreOptions): PostgresSettings {
  assertOptions('the PostgreSQL store', options, optionKinds);
  const settings: PostgresSettings = {
    maxConnections: options.maxConnections ?? 8,
    schema: options.schema ?? 'portcullis',
    deadlineMs: options.deadlineMs ?? defaultDeadlineMs,
    sweepEveryWrites: options.sweepEveryWrites ?? 1_000,
    maxSweptRecords: options.maxSweptRecords ?? 2_000,
    onFault: options.onFault ?? (() => undefined),
  };
  assertWhole('CONFIG_INVALID', 'maxConnections', settings.maxConnections, 1);
  // A connection is given up after twice the deadline.
  assertWhole('CONFIG_INVALID', 'deadlineMs', settings.deadlineMs, 1, Math.floor(LONGEST_TIMER_MS / 2));
  assertWhole('CONFIG_INVALID', 'sweepEveryWrites', settings.sweepEveryWrites, 0);
  assertWhole('CONFIG_INVALID', 'maxSweptRecords', settings.maxSweptRecords, 1);
  if (!/^[a-z_][a-z0-9_]{0,49}$/.test(settings.schema)) {
    throw new Fault('CONFIG_INVALID', `schema must be a lower-case name, got ${shapeOf(settings.schema)}.`);
  }
  if ((options.pool === undefined) === (options.connectionString === undefined)) {
    throw new Fault('CONFIG_INVALID', 'A PostgreSQL store needs either a pool or a connectionString.');
  }
  if (options.pool !== undefined && typeof options.pool.connect !== 'function') {
    throw new Fault('CONFIG_INVALID', `pool must be a pool of pg, got ${shapeOf(options.pool)}.`);
  }
  return Object.freeze(settings);
}
