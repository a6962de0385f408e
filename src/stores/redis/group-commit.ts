import { listOf } from '../../core/list.ts';
import type { Key } from '../../core/records.ts';
import { groupOf } from '../group-tag.ts';
import type { GroupStep } from '../store.ts';
import { CommitTurn, type CommitTurnParts, type TurnGroup } from './commit-turn.ts';
import { LoneStep, StepCall, StepOfCall, type WaitingStep } from './waiting-step.ts';

/** How many steps one commit may carry, so that running them does not hold up the process. */
const maxSteps = 512;

/**
 * How many groups begin in one turn of the event loop. Nothing is sent before the turn ends: so a burst goes out in parts,
 * and the server works on the first while this process makes the next. What waits to begin is small; what has begun is not.
 */
const groupsPerTurn = 32;

/**
 * How many groups are kept at least before those that rest are forgotten. Who comes back finds its own: to add an entry to a map
 * and to delete it again for every step makes the map move to new memory all the time, which only a full collection frees,
 * together with all that the map has held.
 */
const keptGroups = 8_192;

/** The steps of one group that wait for their turn. */
class Group implements TurnGroup {
  #waiting: WaitingStep[] | null = null;
  readonly #turnEnded: (group: Group) => void;
  /** Whether a step of it waits, or is in flight. */
  isBusy = false;

  constructor(turnEnded: (group: Group) => void) {
    this.#turnEnded = turnEnded;
  }

  get isAwaited(): boolean {
    return this.#waiting !== null;
  }

  add(step: WaitingStep): void {
    if (this.#waiting === null) this.#waiting = listOf(step);
    else this.#waiting.push(step);
  }

  /**
   * The next steps to run together, or null. No list stays behind: it would grow old with the group, and keep what is added
   * to it later until old memory is collected.
   */
  take(): readonly WaitingStep[] | null {
    const batch = this.#waiting;
    this.#waiting = batch !== null && batch.length > maxSteps ? batch.splice(maxSteps) : null;
    return batch;
  }

  turnEnded(): void {
    this.#turnEnded(this);
  }
}

/**
 * Runs steps group by group. Of each group at most one commit is in flight; steps that arrive meanwhile run one
 * after another on the same working copy and go out together in the next. So a hot key costs one round trip at a
 * time, however many operations there are.
 */
export class GroupCommit {
  readonly #parts: CommitTurnParts;
  /** By their tags: all that are busy, and others that were. */
  readonly #groups = new Map<string, Group>();
  #mostGroups = keptGroups;
  #busy = 0;
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
      const told = resolve as (value: unknown) => void;
      this.#add(new LoneStep(step, this.#parts.deadlines, told, reject));
    });
  }

  /** The same for steps of different groups; resolves with what all returned. */
  transactEach<T>(steps: readonly GroupStep<T>[]): Promise<readonly T[]> {
    return new Promise((resolve, reject) => {
      const told = resolve as (values: readonly unknown[]) => void;
      const call = new StepCall(steps.length, this.#parts.deadlines, told, reject);
      for (let place = 0; place < steps.length; place += 1)
        this.#add(new StepOfCall(steps[place] as GroupStep<T>, call, place));
    });
  }

  /** Whether a step of a group of these keys waits, or is in flight. */
  isBusy(keys: readonly Key[]): boolean {
    return this.#busy > 0 && keys.some((key) => this.#groups.get(groupOf([key]))?.isBusy);
  }

  /** Resolves once no step is waiting and no commit in flight; each ends by its deadline at the latest. */
  async whenIdle(): Promise<void> {
    if (this.#busy === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }

  #add(step: WaitingStep): void {
    const group = this.#groupNamed(groupOf(step.keys));
    group.add(step);
    if (group.isBusy) return;
    group.isBusy = true;
    this.#busy += 1;
    this.#opened.push(group);
    if (this.#opened.length === 1) queueMicrotask(() => this.#beginSome());
  }

  #groupNamed(tag: string): Group {
    const known = this.#groups.get(tag);
    if (known !== undefined) return known;
    if (this.#groups.size >= this.#mostGroups) this.#forgetResting();
    const group = new Group(this.#rest);
    this.#groups.set(tag, group);
    return group;
  }

  #forgetResting(): void {
    for (const [tag, group] of this.#groups) if (!group.isBusy) this.#groups.delete(tag);
    this.#mostGroups = Math.max(keptGroups, 2 * this.#busy);
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
    const batch = group.take();
    if (batch === null) {
      group.isBusy = false;
      this.#busy -= 1;
      if (this.#busy === 0) this.#idle();
      return;
    }
    new CommitTurn(this.#parts, batch, group).begin();
  }

  /**
   * Whoever was told goes first: what it asks for next may go out with the others. All that were told together go on
   * together: each call of `queueMicrotask` takes 0.4 µs, and a failure has three groups.
   */
  readonly #rest = (group: Group): void => {
    this.#ended.push(group);
    if (this.#ended.length === 1) queueMicrotask(this.#goOn);
  };

  readonly #goOn = (): void => {
    const ended = this.#ended;
    this.#ended = listOf();
    for (const group of ended) this.#next(group);
  };
}
