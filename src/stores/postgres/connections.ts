import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../core/fault.ts';
import { expireAfter } from '../expire-after.ts';
import type { PostgresClient, PostgresPool } from './pool.ts';
import { endsConnection, faultOf, isTransient, namesNothing } from './sql-faults.ts';

/** A statement; with a name, which is unique to its text, the server keeps it prepared. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/** One connection, for the length of one piece of work. */
export interface Session {
  /** Runs a statement; rows are arrays of columns. */
  run(statement: Statement, values?: unknown[]): Promise<unknown[][]>;
  /** Runs statements without parameters, several divided by semicolons in one round trip; gives the rows of each. */
  script(text: string): Promise<unknown[][][]>;
}

/** How often work that the server has undone (a deadlock, a serialisation failure) is tried. */
const maxTries = 4;
/** How long it waits before the second try, so that the other side gets the locks that were given up for it. */
const pauseMs = 4;
/** How long a call's work waits for a connection. One that comes later serves the next calls. */
const connectMs = 1_000;

/**
 * Lends connections out of a pool and sees to it that none of them stays with a server that does not answer: work
 * that takes longer than `limitMs` loses its connection. The calls behind it have ended at their own deadline before.
 */
export class Connections {
  readonly #pool: PostgresPool;
  readonly #limitMs: number;
  readonly #missed: () => void;

  /** @param missed is told when a statement names what the database does not have: the schema was dropped. */
  constructor(pool: PostgresPool, limitMs: number, missed: () => void) {
    this.#pool = pool;
    this.#limitMs = limitMs;
    this.#missed = missed;
  }

  /**
   * Runs `work` on a connection, again if the server has undone it for the sake of others.
   *
   * @throws Fault `STORE_*`
   */
  async use<T>(work: (session: Session) => Promise<T>, limitMs = this.#limitMs): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#once(work, limitMs);
      } catch (error) {
        if (namesNothing(error)) this.#missed();
        if (tries === maxTries || !isTransient(error)) throw faultOf(error);
        await sleep(tries * pauseMs);
      }
    }
  }

  /** As {@link use}, for work that begins a transaction and commits it: undone if it fails in between. */
  async transaction<T>(work: (session: Session) => Promise<T>, limitMs = this.#limitMs): Promise<T> {
    return this.use(async (session) => {
      try {
        return await work(session);
      } catch (error) {
        if (!endsConnection(error)) await session.script('ROLLBACK');
        throw error;
      }
    }, limitMs);
  }

  async #once<T>(work: (session: Session) => Promise<T>, limitMs: number): Promise<T> {
    const loan = new Loan(await this.#connect(Math.max(connectMs, limitMs)));
    const cancel = expireAfter(limitMs, () => {
      loan.end(new Fault('STORE_TIMEOUT', `PostgreSQL did not answer within ${limitMs} ms.`));
    });
    try {
      const result = await work(loan);
      loan.giveBack();
      return result;
    } catch (error) {
      if (endsConnection(error)) loan.end(faultOf(error));
      else loan.giveBack();
      // Why a connection was ended says more than the error of a statement that met its end.
      throw loan.endedBy ?? error;
    } finally {
      cancel();
    }
  }

  #connect(withinMs: number): Promise<PostgresClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const cancel = expireAfter(withinMs, () => {
        isLate = true;
        reject(new Fault('STORE_TIMEOUT', `PostgreSQL took no connection within ${withinMs} ms.`));
      });
      this.#pool.connect().then(
        (client) => {
          cancel();
          if (isLate) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          cancel();
          reject(faultOf(error));
        },
      );
    });
  }
}

/** A client that goes back to its pool once, whole or ended. */
class Loan implements Session {
  readonly #client: PostgresClient;
  endedBy: Error | null = null;
  #isOut = true;

  constructor(client: PostgresClient) {
    this.#client = client;
    client.on('error', this.#lost);
  }

  async run(statement: Statement, values: unknown[] = []): Promise<unknown[][]> {
    const [result] = [await this.#client.query({ ...statement, values, rowMode: 'array' })].flat();
    return result?.rows ?? [];
  }

  async script(text: string): Promise<unknown[][][]> {
    const results = [await this.#client.query({ text, rowMode: 'array' })].flat();
    return results.map(({ rows }) => rows);
  }

  giveBack(): void {
    if (this.#isOut) this.#release();
  }

  end(reason: Error): void {
    if (!this.#isOut) return;
    this.endedBy = reason;
    this.#release(reason);
  }

  /** A connection may be lost between two statements, with nobody to reject; unheard, the event would end the process. */
  readonly #lost = (error: Error): void => this.end(error);

  #release(reason?: Error): void {
    this.#isOut = false;
    this.#client.release(reason);
    this.#client.off('error', this.#lost);
  }
}
