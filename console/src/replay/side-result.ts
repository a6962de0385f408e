import type { Comparison } from '../../../src/cli/compare/comparison.ts';
import type { Summary } from '../../../src/cli/replay/summary.ts';
import type { ComparisonResult, SideResult } from './replay-messages.ts';

/** Room for a large file in one tab; a record has about 600 bytes. */
export const STORE_BOUNDS = { maxRecords: 1_000_000, maxBytes: 512 * 1024 ** 2 };

/** Who it was stays in the file: a console lists nobody in clear. */
export function sideResultOf(summary: Summary, forgotten: number): SideResult {
  const { outcomes, rules, scopes, firstBlocks, timeline } = summary.toJSON();
  return {
    outcomes,
    rules,
    scopes,
    timeline,
    firstBlocks: firstBlocks.map(({ line, t, rule, scope }) => ({ line, t, rule, scope })),
    forgotten,
  };
}

/** Most that a page shows. */
const SHOWN_SUBJECTS = 200;

export function comparisonResultOf(comparison: Comparison): ComparisonResult {
  const { events, differences, harder, labels, scores } = comparison;
  return {
    events,
    differences,
    harder,
    outcomes: comparison.toJSON().outcomes,
    // Whom it concerns is named by a line of the file.
    subjects: comparison.subjects
      .slice(0, SHOWN_SUBJECTS)
      .map(({ line, t, a, b, decisions }) => ({ line, t, a, b, decisions })),
    labels:
      labels.told === 0
        ? null
        : {
            attacks: labels.attacks,
            honest: labels.honest,
            a: { area: scores.a.area(), rows: scores.a.rows() },
            b: { area: scores.b.area(), rows: scores.b.rows() },
          },
  };
}
