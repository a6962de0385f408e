import { Fault } from '../../core/fault.ts';
import type { PostgresSettings } from './options.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';
import { faultOf } from './sql-faults.ts';

/** What `pg` makes. */
interface EndingPool extends PostgresPool {
  end(): Promise<void>;
}

/** Long enough for a busy server; a call does not wait that long, the next one finds the connection. */
const connectionTimeoutMillis = 5_000;

/** A connection that nobody uses is kept: making a new one may take longer than a call may. This finds those that are lost. */
const keepAliveInitialDelayMillis = 30_000;

const readCommitted = 'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** A pool of the store's own. The package `pg` is loaded when the first connection is asked for. */
export class OwnPool implements PostgresPool {
  readonly #connectionString: string;
  readonly #settings: PostgresSettings;
  #pool: Promise<EndingPool> | null = null;

  constructor(connectionString: string, settings: PostgresSettings) {
    this.#connectionString = connectionString;
    this.#settings = settings;
  }

  /** @throws Fault `CONFIG_INVALID` when the package `pg` is not installed. */
  async connect(): Promise<PostgresClient> {
    this.#pool ??= this.#open();
    const pool = await this.#pool;
    return pool.connect();
  }

  /** A pool that could not be made has nothing to end: whoever asked for a connection has heard why. */
  async end(): Promise<void> {
    const pool = await this.#pool?.catch(() => null);
    await pool?.end();
  }

  /** The server ends by itself whatever takes longer than the deadline: nothing goes on there that nobody waits for. */
  async #open(): Promise<EndingPool> {
    const { Pool } = await importPg();
    const { deadlineMs, maxConnections, onFault } = this.#settings;
    const pool = new Pool({
      connectionString: this.#connectionString,
      max: maxConnections,
      connectionTimeoutMillis,
      statement_timeout: deadlineMs,
      lock_timeout: deadlineMs,
      idleTimeoutMillis: 0,
      keepAlive: true,
      keepAliveInitialDelayMillis,
      allowExitOnIdle: true,
      application_name: 'portcullis',
    });
    // Before anything else on the connection: a database may have another level as its default.
    pool.on('connect', (client) => {
      client.query(readCommitted).catch((error: unknown) => onFault(faultOf(error)));
    });
    pool.on('error', (error) => onFault(faultOf(error)));
    return pool;
  }
}

async function importPg() {
  // Bundlers bear with a package that is not there where a `catch` block stands around it, and not in every other form.
  try {
    return await import('pg');
  } catch (cause) {
    throw new Fault('CONFIG_INVALID', 'A connectionString needs the package pg: npm install pg', { cause });
  }
}
