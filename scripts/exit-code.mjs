import { constants } from 'node:os';

/** The exit code that tells of a child's end as a shell would: a child that was killed did not succeed. */
export function exitCodeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}
