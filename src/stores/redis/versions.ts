import { randomBytes } from 'node:crypto';
import { VERSION_WIDTH } from './envelope.ts';

const originBytes = 6;
const originWidth = 8;
const countWidth = VERSION_WIDTH - originWidth;
/** From the first count that has all its digits. Decimal ones: V8 takes five times as long for others. */
const countStart = 10 ** (countWidth - 1);
const countEnd = 10 ** countWidth;

/**
 * Names for what is written, never used twice: 48 random bits for the process, then a count. A version that came
 * back after its record had expired or been deleted and written anew would let a stale commit through.
 */
export function createVersions(random: (bytes: number) => Buffer = randomBytes): () => string {
  let origin = '';
  let count = countEnd;
  return () => {
    if (count >= countEnd) {
      origin = random(originBytes).toString('base64url');
      count = countStart;
    }
    const version = origin + String(count);
    count += 1;
    return version;
  };
}
