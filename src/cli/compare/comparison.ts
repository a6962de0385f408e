import type { Outcome } from '../../core/decision.ts';
import type { LoggedNotes } from '../replay/logged-notes.ts';
import type { ReplayDecision } from '../replay/replay-decision.ts';
import type { LogNotes, SummedEvent } from '../replay/summary.ts';
import { LabelledScores } from './labelled-scores.ts';
import { isTreatedAlike, severityOf } from './severity.ts';

/** One side's decision, as far as it tells who was treated how and why. */
export interface SideDecision {
  readonly outcome: Outcome;
  readonly level: number;
  readonly until: number;
  readonly rule: string | null;
  readonly scope: string | null;
}

/** Somebody whom the two policies treat differently. */
export interface DifferingSubject {
  readonly account: string | null;
  readonly ip: string;
  /** The first decision that differs. */
  readonly line: number;
  readonly t: number;
  readonly a: SideDecision;
  readonly b: SideDecision;
  /** How many of this subject's decisions differ. */
  decisions: number;
}

const KEPT_SUBJECTS = 1_000;
/** From the softest to the hardest. */
export const outcomes: readonly Outcome[] = ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK'];

/** What two policies make of the same events. Constant memory: subjects beyond the first thousand are only counted. */
export class Comparison {
  events = 0;
  badLines = 0;
  /** Decisions that differ, by who is harder; `length` where both are equally hard and only the end differs. */
  readonly harder = { a: 0, b: 0, length: 0 };
  /** How many decisions differ that belong to subjects which are not listed. */
  unlisted = 0;
  /** `told` counts the events that say whether they are attacks; in a file with such, the others are not. */
  readonly labels = { attacks: 0, honest: 0, told: 0 };
  readonly scores = { a: new LabelledScores(), b: new LabelledScores() };
  readonly log: LogNotes | null;
  /** Null for all but decision logs. */
  readonly logged: LoggedNotes | null;
  /** By A's outcome, then by B's. */
  readonly #matrix = new Float64Array(outcomes.length ** 2);
  readonly #subjects = new Map<string, DifferingSubject>();

  constructor(log: LogNotes | null, logged: LoggedNotes | null = null) {
    this.log = log;
    this.logged = logged;
  }

  get differences(): number {
    return this.harder.a + this.harder.b + this.harder.length;
  }

  /** Those who are treated differently most often first. */
  get subjects(): DifferingSubject[] {
    return [...this.#subjects.values()].sort((x, y) => y.decisions - x.decisions || x.line - y.line);
  }

  /** How many events got this outcome from A and that one from B. */
  count(a: Outcome, b: Outcome): number {
    return this.#matrix[cellOf(a, b)] ?? 0;
  }

  add(line: number, event: SummedEvent, attack: boolean | null, a: ReplayDecision, b: ReplayDecision): void {
    this.events += 1;
    const cell = cellOf(a.outcome, b.outcome);
    this.#matrix[cell] = (this.#matrix[cell] ?? 0) + 1;
    this.#score(attack, a, b);
    if (isTreatedAlike(a, b)) return;
    const harder = severityOf(a) - severityOf(b);
    this.harder[harder > 0 ? 'a' : harder < 0 ? 'b' : 'length'] += 1;
    this.#note(line, event, a, b);
  }

  #score(attack: boolean | null, a: ReplayDecision, b: ReplayDecision): void {
    const isAttack = attack === true;
    if (attack !== null) this.labels.told += 1;
    this.labels[isAttack ? 'attacks' : 'honest'] += 1;
    this.scores.a.add(isAttack, a);
    this.scores.b.add(isAttack, b);
  }

  #note(line: number, { t, ip, account, user }: SummedEvent, a: ReplayDecision, b: ReplayDecision): void {
    const name = account ?? user ?? null;
    const key = `${ip} ${name ?? ''}`;
    const known = this.#subjects.get(key);
    if (known !== undefined) known.decisions += 1;
    else if (this.#subjects.size >= KEPT_SUBJECTS) this.unlisted += 1;
    else this.#subjects.set(key, { account: name, ip, line, t, a: sideOf(a), b: sideOf(b), decisions: 1 });
  }

  toJSON() {
    const { events, badLines, differences, harder, subjects, unlisted, labels } = this;
    return {
      events,
      badLines,
      differences,
      harder,
      outcomes: Object.fromEntries(
        outcomes.map((a) => [a, Object.fromEntries(outcomes.map((b) => [b, this.count(a, b)]))]),
      ),
      subjects,
      unlistedDifferences: unlisted,
      labels: labels.told === 0 ? null : { ...labels, ...this.#rocOf() },
      ...(this.log === null ? {} : linesOf(this.log)),
      ...(this.logged === null ? {} : { taken: leftOutOf(this.logged) }),
    };
  }

  #rocOf() {
    const { a, b } = this.scores;
    return { a: { area: a.area(), rows: a.rows() }, b: { area: b.area(), rows: b.rows() } };
  }
}

const linesOf = ({ lines, nameless, unknown }: LogNotes) => ({
  lines,
  namelessLines: nameless,
  unknownLines: unknown.count,
});

/** Without what holds one policy's decisions against those that were taken: here there are two. */
const leftOutOf = ({ withoutStore, missing, secretChanges, firstSecretChange }: LoggedNotes) => ({
  withoutStore,
  missing,
  secretChanges,
  firstSecretChange,
});

const cellOf = (a: Outcome, b: Outcome): number =>
  outcomes.indexOf(a) * outcomes.length + outcomes.indexOf(b);

function sideOf({ outcome, level, until, rule, scope }: ReplayDecision): SideDecision {
  return { outcome, level, until, rule, scope };
}
