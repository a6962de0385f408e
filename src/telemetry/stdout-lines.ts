import { writeSync } from 'node:fs';
import { LineOutlet } from './line-outlet.ts';

const stdoutFd = 1;

/** Lines to stdout, each written before the call returns where stdout takes it. */
export function stdoutLines(lostLine: (count: number) => string): LineOutlet {
  unblockStdout();
  return new LineOutlet({ write: (bytes, offset) => writeSync(stdoutFd, bytes, offset), lostLine });
}

/**
 * A pipe or socket that is full must say so, not hold the event loop until somebody reads. Node makes them non-blocking
 * when it opens `process.stdout`, which it does on the first look; files and terminals stay as they are.
 */
function unblockStdout(): void {
  Reflect.get(process, 'stdout');
}
