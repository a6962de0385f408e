import { counted } from '../counted.ts';
import type { LoggedLine, MissingLines } from './logged-line.ts';
import type { ReplayDecision } from './replay-decision.ts';

/** What a decision log tells besides the decisions that can be taken again. As JSON: its counts, in this order. */
export class LoggedNotes {
  /** Decisions that come out otherwise than they were taken. */
  differing = 0;
  /** Of these, how many have another outcome; the others another level, end, rule or scope. */
  otherOutcomes = 0;
  /** The line of the first one; 0 when there is none. */
  firstDiffering = 0;
  /** Decisions of a service that was without its store: they rest on no record, and none of them left one. */
  withoutStore = 0;
  /** Decisions that the service could not write. */
  missing = 0;
  /** How often the secret has changed: from there on the same people have other hashes. */
  secretChanges = 0;
  /** The line where it did so first; 0 when it never did. */
  firstSecretChange = 0;
  #secret: string | null = null;

  /** The line, when it can be decided again; else null. */
  note(read: LoggedLine | MissingLines, line: number): LoggedLine | null {
    if (read.kind === 'missing') {
      this.missing += read.dropped;
      return null;
    }
    this.#noteSecret(read.hashes.otherAgent, line);
    if (read.taken.mode === 'NORMAL') return read;
    this.withoutStore += 1;
    return null;
  }

  /** Holds a decision against the one that was taken. */
  hold({ taken }: LoggedLine, decision: ReplayDecision, line: number): void {
    const isSame =
      decision.outcome === taken.outcome &&
      decision.level === taken.level &&
      decision.until === taken.until &&
      decision.rule === taken.rule &&
      decision.scope === taken.scope &&
      decision.deferred === taken.deferred;
    if (isSame) return;
    this.differing += 1;
    if (decision.outcome !== taken.outcome) this.otherOutcomes += 1;
    this.firstDiffering ||= line;
  }

  /** The hash of the agent `other/0` is the same for everybody, so it shows which secret made it and nothing else. */
  #noteSecret(otherAgent: string, line: number): void {
    if (this.#secret !== null && this.#secret !== otherAgent) {
      this.secretChanges += 1;
      this.firstSecretChange ||= line;
    }
    this.#secret = otherAgent;
  }
}

/** What was left out of a decision log, and why, in words. */
export function leftOutTexts({
  withoutStore,
  missing,
  secretChanges,
  firstSecretChange,
}: LoggedNotes): string[] {
  return [
    ...(withoutStore > 0
      ? [
          withoutStore === 1
            ? '1 decision was taken without the store and is left out'
            : `${withoutStore} decisions were taken without the store and are left out`,
        ]
      : []),
    ...(missing > 0
      ? [
          missing === 1
            ? '1 decision is missing: the service could not write it'
            : `${missing} decisions are missing: the service could not write them`,
        ]
      : []),
    ...(secretChanges > 0
      ? [
          `the secret changes at line ${firstSecretChange}${secretChanges > 1 ? ` and ${counted(secretChanges - 1, 'time')} more` : ''}: from there on nobody is known`,
        ]
      : []),
  ];
}

/** How the decisions of a replay stand to those that were taken, in words. */
export function takenText({ differing, otherOutcomes, firstDiffering }: LoggedNotes): string {
  return differing === 0
    ? 'every decision is the one that was taken'
    : `${differing === 1 ? '1 decision differs from the one that was' : `${differing} decisions differ from those that were`} taken, first at line ${firstDiffering}; ${otherOutcomes} ${otherOutcomes === 1 ? 'has' : 'have'} another outcome`;
}
