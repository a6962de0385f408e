import { Batches } from './batches.ts';
import type { Connections } from './connections.ts';
import type { RecentRows } from './recent-rows.ts';
import { absentRow, type Reading, Row } from './rows.ts';
import type { ServerClock } from './server-clock.ts';
import type { Statements } from './statements.ts';

/** Two keep the server busy while a reply is on its way; more of them only make batches smaller. */
const limits = { maxUnderWay: 2, maxJobs: 128 };

/** Reads records, those of many calls in one query when there are many. */
export class Reads {
  readonly #connections: Connections;
  readonly #statements: Statements;
  readonly #clock: ServerClock;
  readonly #recent: RecentRows;
  readonly #batches = new Batches<readonly string[], Reading>(limits, (jobs) => this.#send(jobs));

  constructor(connections: Connections, statements: Statements, clock: ServerClock, recent: RecentRows) {
    this.#connections = connections;
    this.#statements = statements;
    this.#clock = clock;
    this.#recent = recent;
  }

  /** What stands under the texts, at one moment. */
  read(texts: readonly string[]): Promise<Reading> {
    return this.#batches.add(texts);
  }

  async #send(jobs: readonly (readonly string[])[]): Promise<readonly Reading[]> {
    const rows = new Map<string, Row>();
    for (const texts of jobs) for (const text of texts) rows.set(text, absentRow);
    const reply = await this.#connections.use((session) =>
      session.run(this.#statements.read, [[...rows.keys()]]),
    );
    const now = Number(reply[0]?.[0]);
    this.#clock.learn(now);
    for (const [, key, version, value, expiresAt] of reply) {
      if (key !== null) rows.set(String(key), new Row(String(version), String(value), Number(expiresAt)));
    }
    for (const [text, row] of rows) this.#recent.remember(text, row);
    const reading = { rows, now };
    return jobs.map(() => reading);
  }
}
