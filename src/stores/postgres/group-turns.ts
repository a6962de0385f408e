import { Fault } from '../../core/fault.ts';
import type { Call } from '../pending-call.ts';
import { textsOf } from '../step-records.ts';
import { Batches } from './batches.ts';
import { type Proposal, parametersOf, type Verdict, verdictsOf } from './commits.ts';
import type { Connections } from './connections.ts';
import { type Draft, draftOf } from './draft.ts';
import { type Reads, readingOf } from './reads.ts';
import { absentRow, type Reading, type Row } from './rows.ts';
import { SeenLately } from './seen-lately.ts';
import type { ServerClock } from './server-clock.ts';
import type { Statements } from './statements.ts';

/** Two keep the server busy while the other one's log is flushed; more of them only make batches smaller. */
const limits = { maxUnderWay: 2, maxJobs: 64 };
/** Calls of one group that are applied together; a bound on how long one turn keeps this process busy. */
const maxCallsPerTurn = 256;
/** The sweep may drop a record of a locked group, and who writes a key's previous text has another lock. Both are rare. */
const maxLockedTries = 3;
/** How long a group that others were writing goes straight to its lock. */
const contendedBounds = { maxNames: 1_024, maxAgeMs: 1_000 };

/** What turns work with. */
export interface TurnParts {
  readonly connections: Connections;
  readonly statements: Statements;
  readonly reads: Reads;
  readonly recent: SeenLately<Row>;
  readonly clock: ServerClock;
  readonly deadlineMs: number;
  readonly monotonicMs: () => number;
  /** Told how many records were written. */
  wrote(records: number): void;
}

/**
 * Runs the steps of each record group in turns: what waits for a group is applied together, one commit of this process
 * is under way per group, and the commits of many groups share a round trip and a transaction.
 *
 * A turn reads without a lock and commits only if nothing has changed meanwhile. So no lock is held while this process
 * thinks or stalls, a batch never waits for somebody else's lock, and what `view` has just read saves the reading.
 * Optimism alone would let a busy process starve the others on a hot group, because the one that has just written
 * knows the newest version. A turn that was refused therefore opens a transaction, waits in the fair queue of the
 * group's lock, and keeps it until its commit, which nobody can then get ahead of.
 */
export class GroupTurns {
  readonly #parts: TurnParts;
  /** What waits, by tag; a tag is there while its group has a turn under way. */
  readonly #waiting = new Map<string, Call[]>();
  readonly #commits = new Batches<Proposal, Verdict>(limits, (proposals) => this.#propose(proposals));
  readonly #contended: SeenLately<true>;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#contended = new SeenLately(contendedBounds, parts.monotonicMs);
  }

  add(tag: string, call: Call): void {
    const waiting = this.#waiting.get(tag);
    if (waiting !== undefined) {
      waiting.push(call);
      return;
    }
    this.#waiting.set(tag, [call]);
    // Calls of this turn of the event loop go into the first turn of the group.
    queueMicrotask(() => void this.#serve(tag));
  }

  async #serve(tag: string): Promise<void> {
    for (;;) {
      const calls = (this.#waiting.get(tag) ?? []).filter((call) => !call.isOver);
      if (calls.length === 0) break;
      this.#waiting.set(tag, calls.splice(maxCallsPerTurn));
      await this.#turn(tag, calls);
    }
    this.#waiting.delete(tag);
  }

  /** Answers every call, whatever happens. */
  async #turn(tag: string, calls: readonly Call[]): Promise<void> {
    const texts = textsOf(calls.flatMap((call) => call.keys));
    try {
      const draft = await this.#commit(tag, calls, texts);
      draft.settle();
    } catch (error) {
      this.#parts.recent.forget(texts);
      for (const call of calls) call.reject(error);
    }
  }

  async #commit(tag: string, calls: readonly Call[], texts: readonly string[]): Promise<Draft> {
    if (this.#contended.recall(tag)) return this.#commitLocked(tag, calls, texts);
    const { recent, reads, clock } = this.#parts;
    const known = recent.recallAll(texts);
    const reading: Reading =
      known === null ? onlyOf(await reads.read(texts), texts) : { rows: known, now: clock.now() };
    const draft = draftOf(calls, reading.rows, reading.now);
    // What was read after the calls had come in is a true answer by itself.
    if (known === null && draft.writes.size === 0) return draft;
    const verdict = await this.#commits.add({ tag, draft });
    if (verdict.kind === 'done') return this.#done(draft, verdict.reading);
    this.#contended.remember(tag, true);
    return this.#commitLocked(tag, calls, texts);
  }

  /** Two round trips: wait for the lock and read; write and commit. */
  async #commitLocked(tag: string, calls: readonly Call[], texts: readonly string[]): Promise<Draft> {
    const { connections, statements, deadlineMs, clock } = this.#parts;
    for (let tries = 1; tries <= maxLockedTries; tries += 1) {
      const { draft, verdict } = await connections.transaction(async (session) => {
        const read = (await session.script(statements.lockAndRead(tag, texts, deadlineMs))).at(-1) ?? [];
        const { rows, now } = readingOf(texts, read);
        const proposals = [{ tag, draft: draftOf(calls, rows, clock.learn(now)) }] as const;
        const parameters = parametersOf(proposals, deadlineMs);
        const [reply = []] = await session.script(statements.commitAndUnlock(parameters));
        const [verdict] = verdictsOf(proposals, reply);
        return { draft: proposals[0].draft, verdict };
      });
      if (verdict?.kind === 'done') return this.#done(draft, verdict.reading);
    }
    throw new Fault('STORE_CONFLICT', 'Records of a locked group were changed by somebody without the lock.');
  }

  async #propose(proposals: readonly Proposal[]): Promise<Verdict[]> {
    const { connections, statements, deadlineMs } = this.#parts;
    const parameters = parametersOf(proposals, deadlineMs);
    const reply = await connections.use((session) => session.run(statements.commit, parameters));
    return verdictsOf(proposals, reply);
  }

  #done(draft: Draft, reading: Reading): Draft {
    this.#parts.clock.learn(reading.now);
    for (const [text, row] of reading.rows) this.#parts.recent.remember(text, row);
    if (draft.writes.size > 0) this.#parts.wrote(draft.writes.size);
    return draft;
  }
}

/** A reading of several calls holds more than one of them asked for. */
function onlyOf({ rows, now }: Reading, texts: readonly string[]): Reading {
  return { rows: new Map(texts.map((text) => [text, rows.get(text) ?? absentRow])), now };
}
