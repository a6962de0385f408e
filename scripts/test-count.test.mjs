import { describe, expect, it } from 'vitest';
import { countTests } from './test-count.mjs';

const report = (over) =>
  JSON.stringify({
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [],
    ...over,
  });

describe('countTests', () => {
  it('takes the counts of a good run', () => {
    expect(countTests(report({ numPassedTests: 7 }), 0)).toEqual({ passed: 7, failed: 0, skipped: 0 });
  });

  it('counts failures once, in a file that has failing tests', () => {
    const testResults = [
      { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
    ];
    const text = report({ numPassedTests: 1, numFailedTests: 1, testResults });
    expect(countTests(text, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it('counts a file that broke before its first test', () => {
    const text = report({ numPassedTests: 3, testResults: [{ status: 'failed', assertionResults: [] }] });
    expect(countTests(text, 1)).toEqual({ passed: 3, failed: 1, skipped: 0 });
  });

  it('adds what is skipped and what is only planned', () => {
    const text = report({ numPassedTests: 1, numPendingTests: 2, numTodoTests: 1 });
    expect(countTests(text, 0)).toEqual({ passed: 1, failed: 0, skipped: 3 });
  });

  it('fails a run that ended badly although every test passed', () => {
    expect(countTests(report({ numPassedTests: 5 }), 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
  });

  it.each([
    ['no report', null],
    ['a torn report', '{"numPassedTests": 3'],
    ['something else', '{}'],
  ])('fails a run with %s', (_, text) => {
    expect(countTests(text, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('fails a run in which nothing ran', () => {
    expect(countTests(report({}), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
