import type { Decision, Outcome } from '../../../src/core/decision.ts';

/** A decision as a difference shows it. */
export interface ShortDecision {
  readonly outcome: Outcome;
  readonly level: number;
  readonly rule: string | null;
  readonly scope: string | null;
}

/** An event that two policies treat differently; named by its line, never by who it was. */
export interface Difference {
  readonly line: number;
  readonly t: number;
  readonly a: ShortDecision;
  readonly b: ShortDecision;
  readonly attack: boolean | null;
}

/** How well a policy tells the labelled attacks from the rest. Null where nothing would be divided. */
export interface Quality {
  readonly precision: number | null;
  readonly recall: number | null;
  /** Of the events labelled as no attack, how many were stopped. */
  readonly falseAlarms: number | null;
}

export interface ComparisonResult {
  /** How often policy A decided the row and B the column. */
  readonly matrix: Readonly<Record<Outcome, Readonly<Record<Outcome, number>>>>;
  readonly same: number;
  readonly different: number;
  /** The first ones. */
  readonly differences: readonly Difference[];
  readonly labelled: number;
  readonly qualityA: Quality;
  readonly qualityB: Quality;
}

const KEPT_DIFFERENCES = 100;

const emptyRow = (): Record<Outcome, number> => ({ ALLOW: 0, SOFT_BLOCK: 0, HARD_BLOCK: 0 });

/** Stopped or not, by label. */
interface Confusion {
  caught: number;
  missed: number;
  falseAlarm: number;
  quiet: number;
}

const emptyConfusion = (): Confusion => ({ caught: 0, missed: 0, falseAlarm: 0, quiet: 0 });

/** Puts the decisions of two policies side by side. Constant memory, whatever the length of the file. */
export class Comparison {
  readonly #matrix = { ALLOW: emptyRow(), SOFT_BLOCK: emptyRow(), HARD_BLOCK: emptyRow() };
  readonly #differences: Difference[] = [];
  readonly #confusionA = emptyConfusion();
  readonly #confusionB = emptyConfusion();
  #same = 0;
  #different = 0;
  #labelled = 0;

  add(line: number, t: number, a: Decision, b: Decision, attack: boolean | null): void {
    this.#matrix[a.outcome][b.outcome] += 1;
    if (attack !== null) {
      this.#labelled += 1;
      judge(this.#confusionA, a, attack);
      judge(this.#confusionB, b, attack);
    }
    if (a.outcome === b.outcome && a.level === b.level) {
      this.#same += 1;
      return;
    }
    this.#different += 1;
    if (this.#differences.length < KEPT_DIFFERENCES) {
      this.#differences.push({ line, t, a: shortOf(a), b: shortOf(b), attack });
    }
  }

  result(): ComparisonResult {
    return {
      matrix: this.#matrix,
      same: this.#same,
      different: this.#different,
      differences: this.#differences,
      labelled: this.#labelled,
      qualityA: qualityOf(this.#confusionA),
      qualityB: qualityOf(this.#confusionB),
    };
  }
}

const shortOf = ({ outcome, level, rule, scope }: Decision): ShortDecision => ({
  outcome,
  level,
  rule,
  scope,
});

/** A deferred block lets right credentials in: it stops nobody who may pass. */
function judge(confusion: Confusion, { outcome, deferred }: Decision, attack: boolean): void {
  const isStopped = outcome !== 'ALLOW' && !deferred;
  if (attack) confusion[isStopped ? 'caught' : 'missed'] += 1;
  else confusion[isStopped ? 'falseAlarm' : 'quiet'] += 1;
}

function qualityOf({ caught, missed, falseAlarm, quiet }: Confusion): Quality {
  const part = (of: number, all: number) => (all === 0 ? null : of / all);
  return {
    precision: part(caught, caught + falseAlarm),
    recall: part(caught, caught + missed),
    falseAlarms: part(falseAlarm, falseAlarm + quiet),
  };
}
