import { createHmac, timingSafeEqual } from 'node:crypto';

const stepSeconds = 30;

/** The code of RFC 6238 (HMAC-SHA-1) for a time in ms. */
export function totp(secret, timeMs, digits = 6) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(timeMs / 1000 / stepSeconds)));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest[digest.length - 1] & 15;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The step a code belongs to: now, or one before or after for clocks that differ. Null when it is wrong. */
export function stepOf(code, secret, timeMs) {
  let found = null;
  for (const drift of [-1, 0, 1]) {
    const time = timeMs + drift * stepSeconds * 1000;
    if (isSame(totp(secret, time), code)) found = Math.floor(time / 1000 / stepSeconds);
  }
  return found;
}

function isSame(expected, given) {
  const bytes = Buffer.from(String(given));
  return bytes.length === expected.length && timingSafeEqual(Buffer.from(expected), bytes);
}
