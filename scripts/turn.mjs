// One script at a time installs and builds: two of them on a fresh clone (`npm start` beside `npm test`) would take away the files
// that the other has just made.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const LOOK_EVERY_MS = 100;
/** Longer than any build takes: the number of a process that was killed may have become that of another. */
const LONGEST_WAIT_MS = 600_000;

/**
 * Waits until nobody else has the turn. The result gives it back. Where the file cannot be written nothing can be built either, and
 * nobody waits.
 *
 * @param file holds the number of the process whose turn it is
 * @param say told once whom it waits for
 */
export function takeTurn(file, say) {
  const end = Date.now() + LONGEST_WAIT_MS;
  let isTold = false;
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') return () => {};
    }
    const holder = holderOf(file);
    if (!isRunning(holder) || Date.now() > end) {
      // Somebody else may have found out the same, and have the turn by now.
      if (holderOf(file) === holder) rmSync(file, { force: true });
      continue;
    }
    if (!isTold) say(`waiting for process ${holder}, which builds here`);
    isTold = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS);
  }
}

/** Ourselves, who run, for one that has given it back meanwhile or has not written its number yet: it is looked at again. */
function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || process.pid;
  } catch (error) {
    if (error.code === 'ENOENT') return process.pid;
    throw error;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
