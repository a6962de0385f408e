import { randomBytes } from 'node:crypto';

/** The last two digits of a count, ready: to write a number out costs more than to join two texts. */
const RADIX = 36;
const TAILS = Array.from({ length: RADIX ** 2 }, (_, low) => low.toString(RADIX).padStart(2, '0'));

/** Names for calls: random per client, counted within. Unique, and cheaper than a random one per call. */
export function createNonces(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let high = 0;
  let head = `${prefix}${high}`;
  let low = -1;
  return () => {
    low += 1;
    if (low === TAILS.length) {
      low = 0;
      high += 1;
      head = prefix + high.toString(RADIX);
    }
    return head + TAILS[low];
  };
}
