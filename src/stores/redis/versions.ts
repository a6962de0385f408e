import { randomBytes } from 'node:crypto';
import { threeDigitsOf } from '../../core/digits.ts';
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
 *
 * Each is put together of the name of its thousand and three digits: it is kept with its record, and so is small.
 */
export function createVersions(random: (bytes: number) => Buffer = randomBytes): () => string {
  let origin = '';
  let count = countEnd;
  let thousand = '';
  return () => {
    if (count >= countEnd) {
      origin = random(originBytes).toString('base64url');
      count = countStart;
    }
    const rest = count % 1_000;
    if (rest === 0) thousand = origin + String(count / 1_000);
    count += 1;
    return thousand + threeDigitsOf(rest);
  };
}
