import { listOf } from '../../core/list.ts';
import type { Key } from '../../core/records.ts';
import { groupOf } from '../group-tag.ts';
import type { GroupStep } from '../store.ts';
import { CommitTurn, type CommitTurnParts } from './commit-turn.ts';
import { StepCall, WaitingStep } from './waiting-step.ts';

/** How many steps one commit may carry, so that running them does not hold up the process. */
const maxSteps = 512;

/**
 * How many groups begin in one turn of the event loop. Nothing is sent before the turn ends: so a burst goes out in parts,
 * and the server works on the first while this process makes the next. What waits to begin is small; what has begun is not.
 */
const groupsPerTurn = 32;

const oneStep = [undefined];

/** The steps of one group that wait for their turn. */
class Group {
  readonly tag: string;
  waiting: WaitingStep[];

  constructor(tag: string, first: WaitingStep) {
    this.tag = tag;
    this.waiting = listOf(first);
  }
}

/**
 * Runs steps group by group. Of each group at most one commit is in flight; steps that arrive meanwhile run one
 * after another on the same working copy and go out together in the next. So a hot key costs one round trip at a
 * time, however many operations there are.
 */
export class GroupCommit {
  readonly #parts: CommitTurnParts;
  readonly #groups = new Map<string, Group>();
  /** Groups in the order they came up; those before `#begun` have begun. */
  #opened: Group[] = [];
  #begun = 0;
  /** Groups whose turn has ended, before the next. */
  #ended: Group[] = [];
  #idle: () => void = () => undefined;

  constructor(parts: CommitTurnParts) {
    this.#parts = parts;
  }

  /** Runs the step and resolves with what it returned once its puts are written. */
  transact<T>(step: GroupStep<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const call = new StepCall(oneStep, this.#parts.deadlines, (values) => resolve(values[0] as T), reject);
      this.#add(step, call, 0);
    });
  }

  /** The same for steps of different groups; resolves with what all returned. */
  transactEach<T>(steps: readonly GroupStep<T>[]): Promise<readonly T[]> {
    return new Promise((resolve, reject) => {
      const told = resolve as (values: readonly unknown[]) => void;
      const call = new StepCall(steps, this.#parts.deadlines, told, reject);
      for (let place = 0; place < steps.length; place += 1)
        this.#add(steps[place] as GroupStep<T>, call, place);
    });
  }

  /** Whether a step of a group of these keys waits, or is in flight. */
  isBusy(keys: readonly Key[]): boolean {
    return this.#groups.size > 0 && keys.some((key) => this.#groups.has(groupOf([key])));
  }

  /** Resolves once no step is waiting and no commit in flight; each ends by its deadline at the latest. */
  async whenIdle(): Promise<void> {
    if (this.#groups.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  #add(step: GroupStep<unknown>, call: StepCall, place: number): void {
    const waiting = new WaitingStep(step, call, place);
    const tag = groupOf(step.keys);
    const group = this.#groups.get(tag);
    if (group === undefined) this.#open(new Group(tag, waiting));
    else group.waiting.push(waiting);
  }

  #open(group: Group): void {
    this.#groups.set(group.tag, group);
    this.#opened.push(group);
    if (this.#opened.length === 1) queueMicrotask(() => this.#beginSome());
  }

  #beginSome(): void {
    const opened = this.#opened;
    const end = Math.min(opened.length, this.#begun + groupsPerTurn);
    for (; this.#begun < end; this.#begun += 1) this.#next(opened[this.#begun] as Group);
    if (this.#begun < opened.length) {
      // After what these have to send was handed over, which happens as soon as this has ended.
      queueMicrotask(() => setImmediate(() => this.#beginSome()));
      return;
    }
    this.#opened = [];
    this.#begun = 0;
  }

  #next(group: Group): void {
    const batch = group.waiting;
    if (batch.length === 0) {
      this.#groups.delete(group.tag);
      if (this.#groups.size === 0) this.#idle();
      return;
    }
    group.waiting = batch.length > maxSteps ? batch.splice(maxSteps) : listOf();
    new CommitTurn(this.#parts, batch, group, () => this.#rest(group)).begin();
  }

  /**
   * Whoever was told goes first: what it asks for next may go out with the others. All that were told together go on
   * together: each call of `queueMicrotask` takes 0.4 µs, and a failure has three groups.
   */
  #rest(group: Group): void {
    this.#ended.push(group);
    if (this.#ended.length === 1) queueMicrotask(this.#goOn);
  }

  readonly #goOn = (): void => {
    const ended = this.#ended;
    this.#ended = listOf();
    for (const group of ended) this.#next(group);
  };
}
