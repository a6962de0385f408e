import type { Fault } from '../../core/fault.ts';
import type { Connections } from './connections.ts';
import type { PostgresSettings } from './options.ts';
import { faultOf } from './sql-faults.ts';
import type { Statements } from './statements.ts';

/** How long one sweep may take. Nobody waits for it, but its locks must not stay for long. */
const limitMs = 1_000;

/**
 * Drops expired records as others are written: after every so many writes a bounded number. Twice as many as were
 * written keeps ahead of any number that expire together, and a process that writes nothing does nothing. The first write
 * counts for all of them: where processes are short-lived, none may ever write that many.
 */
export class Sweeper {
  readonly #connections: Connections;
  readonly #statements: Statements;
  readonly #settings: PostgresSettings;
  #writes: number;
  #underWay: Promise<void> | null = null;

  constructor(connections: Connections, statements: Statements, settings: PostgresSettings) {
    this.#connections = connections;
    this.#statements = statements;
    this.#settings = settings;
    this.#writes = settings.sweepEveryWrites - 1;
  }

  /** Counts written records and starts a sweep when one is due. */
  wrote(records: number): void {
    const { sweepEveryWrites } = this.#settings;
    this.#writes += records;
    if (sweepEveryWrites === 0 || this.#writes < sweepEveryWrites || this.#underWay !== null) return;
    this.#writes = 0;
    this.#underWay = this.#sweep().then(
      () => this.#ended(),
      (error: unknown) => this.#ended(faultOf(error)),
    );
  }

  /** Resolves when no sweep is under way. */
  async idle(): Promise<void> {
    await this.#underWay;
  }

  async #sweep(): Promise<void> {
    const script = this.#statements.sweep(this.#settings.maxSweptRecords, limitMs);
    await this.#connections.transaction((session) => session.script(script), 2 * limitMs);
  }

  #ended(fault?: Fault): void {
    this.#underWay = null;
    if (fault !== undefined) this.#settings.onFault(fault);
  }
}
