import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import type { Key, Records, StoredRecord } from '../../core/records.ts';
import { StepRecords } from '../../stores/step-records.ts';
import type { Random } from '../random.ts';
import type { Change, OperationTrace } from './operation-trace.ts';
import type { ServerPlan } from './scenario.ts';
import type { Timeline } from './timeline.ts';

/** Where the simulated time begins, so that no time is zero. */
export const EPOCH_MS = 1_700_000_000_000;

const RECORD_MS = 72 * HOUR_MS;
const BOOK_MS = 90 * DAY_MS;

interface Entry {
  readonly value: StoredRecord;
  readonly expiresAt: number;
}

interface Undo {
  readonly at: number;
  readonly text: string;
  readonly entry: Entry | undefined;
}

/** Who wants to know what the server does. */
export interface ServerWatch {
  viewed(operation: OperationTrace): void;
  committed(operation: OperationTrace, changes: readonly Change[]): void;
}

export type Work<T> = (records: Records, now: number) => T;

/** The store behind all nodes: atomic while it lives, and able to lose what it was given. */
export class SimulatedServer {
  readonly #timeline: Timeline;
  readonly #plan: ServerPlan;
  readonly #watch: ServerWatch;
  readonly #executed = new Set<number>();
  #entries = new Map<string, Entry>();
  #undos: Undo[] = [];
  #clockOffsetMs = 0;
  isUp = true;

  constructor(timeline: Timeline, plan: ServerPlan, watch: ServerWatch) {
    this.#timeline = timeline;
    this.#plan = plan;
    this.#watch = watch;
  }

  /** How long a record lasts after its last write. */
  get recordMs(): number {
    return this.#plan.recordMs ?? RECORD_MS;
  }

  now(): number {
    return EPOCH_MS + Math.floor(this.#timeline.now) + this.#clockOffsetMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The record as any reader finds it now. */
  read(text: string): StoredRecord | undefined {
    const entry = this.#entries.get(text);
    if (entry === undefined) return undefined;
    return this.#plan.dropsExpired && this.now() >= entry.expiresAt ? undefined : entry.value;
  }

  view<T>(operation: OperationTrace, keys: readonly Key[], look: Work<T>): T {
    operation.t = this.now();
    this.#watch.viewed(operation);
    return this.#run(keys, look, 'look').result;
  }

  /** Runs a step once per request, however often the request arrives. `conflicts`: it first runs in vain. */
  transact<T>(
    operation: OperationTrace,
    request: number,
    keys: readonly Key[],
    step: Work<T>,
    conflicts: boolean,
  ): { readonly isDuplicate: boolean; readonly result: T | undefined } {
    if (this.#executed.has(request)) return { isDuplicate: true, result: undefined };
    this.#executed.add(request);
    if (conflicts) this.#run(keys, step, 'step');
    const { records, result } = this.#run(keys, step, 'step');
    this.#commit(operation, records);
    return { isDuplicate: false, result };
  }

  /** Drops each of these records with this probability. */
  forget(keys: readonly Key[], share: number, random: Random): void {
    for (const { text } of keys) if (random.chance(share)) this.#put(text, undefined);
  }

  loseAll(): void {
    this.#entries = new Map();
    this.#undos = [];
  }

  /** A replica takes over that has not heard of the last `lagMs`, and by whose clock it is earlier or later. */
  failOver(lagMs: number, clockStepMs: number): void {
    const from = this.#timeline.now - lagMs;
    for (let undo = this.#undos.at(-1); undo !== undefined && undo.at > from; undo = this.#undos.at(-1)) {
      this.#undos.pop();
      if (undo.entry === undefined) this.#entries.delete(undo.text);
      else this.#entries.set(undo.text, undo.entry);
    }
    this.#clockOffsetMs += clockStepMs;
  }

  #run<T>(keys: readonly Key[], work: Work<T>, use: 'look' | 'step') {
    const records = new StepRecords(keys, (text) => this.read(text), use);
    const result = work(records, this.now());
    records.end();
    return { records, result };
  }

  #commit(operation: OperationTrace, { puts }: StepRecords): void {
    const now = this.now();
    const changes: Change[] = [];
    for (const [text, { value, retention }] of puts) {
      const [, , policy = '', , kind = ''] = text.split(':');
      const found = this.read(text);
      const isLive = found !== undefined && (operation.t ?? now) < found.at + this.#keepMsOf(kind);
      changes.push({ text, kind, policy, before: isLive ? found : undefined, after: value });
      this.#put(text, { value, expiresAt: now + retention.keepMs });
    }
    if (changes.length > 0) this.#watch.committed(operation, changes);
  }

  #keepMsOf(kind: string): number {
    return kind === 'book' ? BOOK_MS : this.recordMs;
  }

  #put(text: string, entry: Entry | undefined): void {
    this.#undos.push({ at: this.#timeline.now, text, entry: this.#entries.get(text) });
    if (entry === undefined) this.#entries.delete(text);
    else this.#entries.set(text, entry);
  }
}
