import { Batches } from './batches.ts';
import type { Connections } from './connections.ts';
import { absentRow, type Reading, Row } from './rows.ts';
import type { SeenLately } from './seen-lately.ts';
import type { ServerClock } from './server-clock.ts';
import type { Statements } from './statements.ts';

/** Two keep the server busy while a reply is on its way; more of them only make batches smaller. */
const limits = { maxUnderWay: 2, maxJobs: 128 };

/** Reads records, those of many calls in one query when there are many. */
export class Reads {
  readonly #connections: Connections;
  readonly #statements: Statements;
  readonly #clock: ServerClock;
  readonly #recent: SeenLately<Row>;
  readonly #batches = new Batches<readonly string[], Reading>(limits, (jobs) => this.#send(jobs));

  constructor(connections: Connections, statements: Statements, clock: ServerClock, recent: SeenLately<Row>) {
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
    const texts = [...new Set(jobs.flat())];
    const reply = await this.#connections.use((session) => session.run(this.#statements.read, [texts]));
    const { rows, now: serverMs } = readingOf(texts, reply);
    const reading: Reading = { rows, now: this.#clock.learn(serverMs) };
    for (const [text, row] of rows) this.#recent.remember(text, row);
    return jobs.map(() => reading);
  }
}

/** What the rows of `read` say of the texts asked for. */
export function readingOf(texts: readonly string[], reply: readonly unknown[][]): Reading {
  const rows = new Map(texts.map((text) => [text, absentRow]));
  for (const [, key, version, value, expiresAt] of reply) {
    if (key !== null) rows.set(String(key), new Row(String(version), String(value), Number(expiresAt)));
  }
  return { rows, now: Number(reply[0]?.[0]) };
}
