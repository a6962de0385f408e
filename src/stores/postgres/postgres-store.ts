import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Fault } from '../../core/fault.ts';
import type { Key, Records, Retention } from '../../core/records.ts';
import { Deadlines } from '../deadlines.ts';
import { groupOf } from '../group-tag.ts';
import { PendingCall } from '../pending-call.ts';
import { PendingGroups } from '../pending-groups.ts';
import { StepRecords, textsOf } from '../step-records.ts';
import type { HeldRecord, Store } from '../store.ts';
import { UnderWay } from '../under-way.ts';
import { untilAborted } from '../until-aborted.ts';
import { Connections } from './connections.ts';
import { GroupTurns } from './group-turns.ts';
import { heldPages } from './held-records.ts';
import { migrate } from './migrate.ts';
import type { PostgresSettings } from './options.ts';
import { OwnPool } from './own-pool.ts';
import type { PostgresPool } from './pool.ts';
import { Reads } from './reads.ts';
import type { Reading, Row } from './rows.ts';
import { SeenLately } from './seen-lately.ts';
import { ServerClock } from './server-clock.ts';
import { setAside } from './set-aside.ts';
import { type Statements, statementsFor } from './statements.ts';
import { Sweeper } from './sweeper.ts';

/** A store that can be waited for. */
export interface PostgresStore extends Store {
  /** Resolves when the server is reached and its schema is up to date, which may take longer than a deadline. */
  ready(): Promise<void>;
}

/**
 * What `view` has read is what the steps right after it start from: that saves them a round trip. It may be out of date,
 * which the commit finds out; the bound on its age keeps that rare.
 */
const recentBounds = { maxNames: 4_096, maxAgeMs: 500 };
const pingRetention: Retention = { keepMs: 1_000, softMs: 0, hardMs: 0 };

/** A store over a pool. See `createPostgresStore`. */
export class PooledPostgresStore implements PostgresStore {
  readonly #pool: PostgresPool;
  readonly #settings: PostgresSettings;
  readonly #statements: Statements;
  readonly #connections: Connections;
  readonly #deadlines: Deadlines;
  readonly #reads: Reads;
  readonly #turns: GroupTurns;
  readonly #sweeper: Sweeper;
  readonly #underWay = new UnderWay();
  readonly #pending = new PendingGroups();
  /** Nodes of their own numbers do not wait for each other; that there are not many bounds what they leave behind. */
  readonly #pinged: Key = { text: `portcullis-ping:{${randomInt(1_024)}}`, was: null };
  #migrated: Promise<void> | null = null;
  #isClosed = false;

  constructor(pool: PostgresPool, settings: PostgresSettings) {
    const { deadlineMs, schema } = settings;
    const clock = new ServerClock(monotonicMs);
    const recent = new SeenLately<Row>(recentBounds, monotonicMs);
    const statements = statementsFor(schema);
    const connections = new Connections(pool, 2 * deadlineMs, () => {
      this.#migrated = null;
    });
    const sweeper = new Sweeper(connections, statements, settings);
    const reads = new Reads(connections, statements, clock, recent);
    const wrote = (records: number): void => sweeper.wrote(records);
    this.#turns = new GroupTurns({
      connections,
      statements,
      reads,
      recent,
      clock,
      deadlineMs,
      monotonicMs,
      wrote,
    });
    this.#deadlines = new Deadlines('PostgreSQL', deadlineMs, monotonicMs);
    this.#pool = pool;
    this.#settings = settings;
    this.#statements = statements;
    this.#connections = connections;
    this.#reads = reads;
    this.#sweeper = sweeper;
  }

  async ready(): Promise<void> {
    this.#assertOpen();
    this.#migrated ??= this.#migrate();
    await this.#migrated;
  }

  async view<T>(keys: readonly Key[], look: (records: Records, now: number) => T): Promise<T> {
    const reading = this.ready().then(() => this.#reads.read(textsOf(keys)));
    return lookAt(keys, await this.#underWay.track(this.#deadlines.limit(reading)), look);
  }

  async transact<T>(keys: readonly Key[], step: (records: Records, now: number) => T): Promise<T> {
    if (keys.length === 0) return this.view(keys, step);
    const tag = groupOf(keys);
    const call = new PendingCall(keys, step, this.#deadlines);
    this.ready().then(
      () => this.#turns.add(tag, call),
      (error: unknown) => call.reject(error),
    );
    this.#pending.count(keys, call.promise);
    return this.#underWay.track(call.promise);
  }

  hasPending(keys: readonly Key[]): boolean {
    return this.#pending.has(keys);
  }

  async setAside(keys: readonly Key[]): Promise<number> {
    const moved = this.ready().then(() => setAside(this.#connections, this.#statements, keys));
    return this.#underWay.track(this.#deadlines.limit(moved));
  }

  /** Goes the way of every step and writes: a server may answer while its table is locked, gone or not to be written. */
  async ping(): Promise<void> {
    await this.transact([this.#pinged], (records, now) => {
      records.put(this.#pinged, { at: now }, pingRetention);
    });
  }

  async *held(prefix: string, signal?: AbortSignal): AsyncGenerator<HeldRecord> {
    await this.ready();
    yield* untilAborted(heldPages(this.#connections, this.#statements, prefix), signal);
  }

  /** Calls under way end first, each by its deadline at the latest. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#underWay.ended();
    await this.#sweeper.idle();
    if (this.#pool instanceof OwnPool) await this.#pool.end();
  }

  /** A failed attempt is forgotten, so that the next call makes another one. */
  async #migrate(): Promise<void> {
    try {
      await migrate(this.#connections, this.#settings.schema);
    } catch (error) {
      this.#migrated = null;
      throw error;
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Fault('STORE_CLOSED', 'The PostgreSQL store was used after it was closed.');
  }
}

function lookAt<T>(keys: readonly Key[], reading: Reading, look: (records: Records, now: number) => T): T {
  const { rows, now } = reading;
  const records = new StepRecords(keys, (text, form) => rows.get(text)?.valueAt(now, form), 'look');
  try {
    return look(records, now);
  } finally {
    records.end();
  }
}

const monotonicMs = (): number => performance.now();
