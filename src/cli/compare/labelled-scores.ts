import type { ReplayDecision } from '../replay/replay-decision.ts';
import { SEVERITIES, severityOf, severityText } from './severity.ts';

/** How well decisions at least this hard tell attacks from honest events. Shares are null where there is nothing to share. */
export interface ThresholdRow {
  readonly atLeast: string;
  readonly truePositives: number;
  readonly falsePositives: number;
  /** Of the attacks, how many were met. */
  readonly recall: number | null;
  /** Of those met, how many were attacks. */
  readonly precision: number | null;
  /** Of the honest events, how many were met. */
  readonly falsePositiveRate: number | null;
}

/** Counts the decisions on events that are known to be attacks or honest, by how hard they are. */
export class LabelledScores {
  readonly #attacks = new Array<number>(SEVERITIES).fill(0);
  readonly #honest = new Array<number>(SEVERITIES).fill(0);

  add(attack: boolean, decision: ReplayDecision): void {
    const severity = severityOf(decision);
    const counts = attack ? this.#attacks : this.#honest;
    counts[severity] = (counts[severity] ?? 0) + 1;
  }

  /** From the hardest threshold to the softest that says anything; those that change nothing are left out. */
  rows(): ThresholdRow[] {
    const rows: ThresholdRow[] = [];
    let truePositives = 0;
    let falsePositives = 0;
    for (let severity = SEVERITIES - 1; severity > 0; severity -= 1) {
      const attacks = this.#attacks[severity] ?? 0;
      const honest = this.#honest[severity] ?? 0;
      truePositives += attacks;
      falsePositives += honest;
      const isTold = attacks + honest > 0 && !this.#isSameAsHard(severity);
      if (isTold || isNamed(severity)) rows.push(this.#row(severity, truePositives, falsePositives));
    }
    return rows;
  }

  /** The area under the curve of recall over false positives: 0.5 is chance, 1 is perfect. Null without both kinds. */
  area(): number | null {
    const points = this.rows().flatMap(({ recall, falsePositiveRate }) =>
      recall === null || falsePositiveRate === null ? [] : [{ x: falsePositiveRate, y: recall }],
    );
    if (points.length === 0) return null;
    let area = 0;
    let before = { x: 0, y: 0 };
    for (const point of [...points, { x: 1, y: 1 }]) {
      area += ((point.x - before.x) * (point.y + before.y)) / 2;
      before = point;
    }
    return area;
  }

  /** No ladder has HARD blocks of level 1, so that level 2 is the same as HARD. */
  #isSameAsHard(severity: number): boolean {
    const below = severity - 1;
    return severityText(below) === 'HARD' && (this.#attacks[below] ?? 0) + (this.#honest[below] ?? 0) === 0;
  }

  #row(severity: number, truePositives: number, falsePositives: number): ThresholdRow {
    return {
      atLeast: severityText(severity),
      truePositives,
      falsePositives,
      recall: shareOf(truePositives, sum(this.#attacks)),
      precision: shareOf(truePositives, truePositives + falsePositives),
      falsePositiveRate: shareOf(falsePositives, sum(this.#honest)),
    };
  }
}

/** The two thresholds that everybody asks for are always there. */
const isNamed = (severity: number): boolean => severity === 1 || severityText(severity) === 'HARD';

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
