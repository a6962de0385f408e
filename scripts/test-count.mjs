/**
 * Counts out of vitest's JSON report. A file that broke before its first test, an error outside of any test and
 * a report that is not there each count as a failure: silence never passes.
 *
 * @param {string | null} text the report, null when vitest wrote none
 * @param {number} status vitest's exit code
 */
export function countTests(text, status) {
  const report = parse(text);
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + broken;
  const passed = report.numPassedTests;
  const nothingRan = passed + failed === 0;
  return {
    passed,
    failed: failed === 0 && (status !== 0 || nothingRan) ? 1 : failed,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  };
}

function parse(text) {
  if (text === null) return null;
  try {
    const report = JSON.parse(text);
    return Array.isArray(report.testResults) ? report : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
