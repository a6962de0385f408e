import { describe, expect, it } from 'vitest';
import { scoreOf, toReport } from './report.mjs';

const mutant = (path, line, state, covered = true) => ({
  path,
  line,
  column: 1,
  original: 'a < b',
  mutated: 'a <= b',
  state,
  covered,
});

describe('the report', () => {
  it('lists survivors, then a score per file and for all', () => {
    const mutants = [
      mutant('src/core/a.ts', 1, 'killed'),
      mutant('src/core/a.ts', 2, 'survived'),
      mutant('src/core/long-name.ts', 3, 'timeout'),
      mutant('src/core/long-name.ts', 4, 'survived', false),
    ];
    expect(toReport(mutants)).toEqual([
      'survived  src/core/a.ts:2:1  a < b  →  a <= b',
      'survived  src/core/long-name.ts:4:1  a < b  →  a <= b  (no test comes by)',
      '',
      'file                   mutants  killed  survived   score',
      'src/core/a.ts                2       1         1  50.0 %',
      'src/core/long-name.ts        2       1         1  50.0 %',
      'all                          4       2         2  50.0 %',
    ]);
  });

  it('counts what never came back as noticed, and nothing as all', () => {
    expect(scoreOf([mutant('a', 1, 'timeout'), mutant('a', 1, 'killed')])).toBe(100);
    expect(scoreOf([])).toBe(100);
  });
});
