import { hash } from 'node:crypto';
import { invariant } from '../core/fault.ts';
import { createHmacText, type Secret } from '../identity/hmac.ts';

/** Longer ones are left to OpenSSL, which has instructions of the processor for it. */
const LONGEST_CHARS = 320;
const LARGEST_ASCII = 0x7f;
const BLOCK_WORDS = 16;
const DIGEST_WORDS = 8;
const ROUNDS = 64;
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const WORD_BYTES = 4;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Follows the last byte of a message. */
const END_MARK = 0x80;
/** The last two words of the last block are the length of the message in bits. */
const LENGTH_WORD = BLOCK_WORDS - 2;

const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 'latin1');

/** What the rounds add. */
const constants = wordsOf(`
  428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
  d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
  e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
  983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
  27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
  a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
  19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
  748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
`);

/**
 * What all signers work in, one after the other, since nothing here waits: a block in the first sixteen words and what
 * the step makes of it, and the state. They do not leave this file: arrays that a module exports are half as fast.
 */
const block = new Int32Array(ROUNDS);
const state = new Int32Array(DIGEST_WORDS);

/**
 * The same function as {@link createHmacText}, HMAC-SHA256 (RFC 2104) as 22 characters of base64url, for texts that are
 * short and ASCII, as passports are: others are passed on to it. Why twice: in a loop OpenSSL is faster by a fifth, but a service
 * signs one passport and then does something else, and the way through the bindings into OpenSSL, cold each time, costs
 * several times what the hash does. Of the secret only the two states are kept that it leads to.
 *
 * Only to sign: the characters are looked up in a table, which does no harm to a signature that is sent anyway.
 *
 * @throws Fault `CONFIG_INVALID` when the secret has fewer than 16 bytes.
 */
export function createTextHmac(secret: Secret): (message: string) => string {
  const native = createHmacText(secret);
  const [inner, outer] = [stateAfter(secret, INNER_PAD), stateAfter(secret, OUTER_PAD)];
  const sign = (message: string): string => {
    if (message.length > LONGEST_CHARS) return native(message);
    start(inner);
    if (!absorbText(message)) return native(message);
    absorbDigest(outer);
    return digits();
  };
  const known = 'x'.repeat(BLOCK_BYTES + 1);
  invariant(sign(known) === native(known), 'both ways to sign give the same signature');
  return sign;
}

/** The state after the first block of the inner or the outer hash, which is the key alone. */
function stateAfter(secret: Secret, pad: number): Int32Array {
  const bytes = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : Buffer.from(secret);
  const key = Buffer.alloc(BLOCK_BYTES);
  key.set(bytes.length > BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes);
  for (let index = 0; index < BLOCK_WORDS; index += 1) {
    block[index] = key.readInt32BE(index * WORD_BYTES) ^ (pad * 0x01010101);
  }
  const after = initialState();
  absorbBlock(after);
  return after;
}

/** Word by word: to copy so few by `set` takes longer. */
function start(from: Int32Array): void {
  for (let index = 0; index < DIGEST_WORDS; index += 1) state[index] = wordAt(from, index);
}

/** Takes in a message that follows a block of key; false when it is not ASCII. */
function absorbText(message: string): boolean {
  const { length } = message;
  const whole = length - (length % WORD_BYTES);
  let seen = 0;
  let filled = 0;
  for (let index = 0; index < whole; index += WORD_BYTES) {
    const a = message.charCodeAt(index);
    const b = message.charCodeAt(index + 1);
    const c = message.charCodeAt(index + 2);
    const d = message.charCodeAt(index + 3);
    seen |= a | b | c | d;
    filled = put(filled, (a << 24) | (b << 16) | (c << 8) | d);
  }
  let word = 0;
  for (let index = whole; index < length; index += 1) {
    const code = message.charCodeAt(index);
    seen |= code;
    word = (word << 8) | code;
  }
  filled = put(filled, ((word << 8) | END_MARK) << (24 - 8 * (length - whole)));
  while (filled !== LENGTH_WORD) filled = put(filled, 0);
  put(put(filled, 0), (BLOCK_BYTES + length) * 8);
  return seen <= LARGEST_ASCII;
}

/** Puts a word into the block; a full block is taken in. Returns how many words the block has now. */
function put(filled: number, word: number): number {
  block[filled] = word;
  if (filled < BLOCK_WORDS - 1) return filled + 1;
  absorbBlock(state);
  return 0;
}

/** Hashes the digest in the state once more, after the block of key that led to `outer`. */
function absorbDigest(outer: Int32Array): void {
  for (let index = 0; index < DIGEST_WORDS; index += 1) block[index] = wordAt(state, index);
  start(outer);
  let filled = put(DIGEST_WORDS, END_MARK << 24);
  while (filled <= LENGTH_WORD) filled = put(filled, 0);
  put(filled, (BLOCK_BYTES + DIGEST_BYTES) * 8);
}

/** The first 132 bits of the state as base64url. */
function digits(): string {
  const a = wordAt(state, 0);
  const b = wordAt(state, 1);
  const c = wordAt(state, 2);
  const d = wordAt(state, 3);
  const e = wordAt(state, 4);
  return String.fromCharCode(
    digit(a >>> 26),
    digit(a >>> 20),
    digit(a >>> 14),
    digit(a >>> 8),
    digit(a >>> 2),
    digit((a << 4) | (b >>> 28)),
    digit(b >>> 22),
    digit(b >>> 16),
    digit(b >>> 10),
    digit(b >>> 4),
    digit((b << 2) | (c >>> 30)),
    digit(c >>> 24),
    digit(c >>> 18),
    digit(c >>> 12),
    digit(c >>> 6),
    digit(c),
    digit(d >>> 26),
    digit(d >>> 20),
    digit(d >>> 14),
    digit(d >>> 8),
    digit(d >>> 2),
    digit((d << 4) | (e >>> 28)),
  );
}

/** The character code of six bits. */
function digit(bits: number): number {
  return DIGITS[bits & 63] as number;
}

/** The state before the first block. */
function initialState(): Int32Array {
  return wordsOf('6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19');
}

/** Every index here is within its array, which the type cannot say. */
function wordAt(words: Int32Array, index: number): number {
  return words[index] as number;
}

/**
 * Takes the block into the state (FIPS 180-4 §6.2.2). Neither branches on what it hashes nor looks anything up by it, and
 * all words stay within 32 bits: its time tells nothing.
 */
function absorbBlock(state: Int32Array): void {
  expandBlock();
  let a = wordAt(state, 0);
  let b = wordAt(state, 1);
  let c = wordAt(state, 2);
  let d = wordAt(state, 3);
  let e = wordAt(state, 4);
  let f = wordAt(state, 5);
  let g = wordAt(state, 6);
  let h = wordAt(state, 7);
  for (let round = 0; round < ROUNDS; round += 1) {
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const choice = g ^ (e & (f ^ g));
    const first = (h + sum1 + choice + wordAt(constants, round) + wordAt(block, round)) | 0;
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) ^ (c & (a ^ b));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  state[0] = wordAt(state, 0) + a;
  state[1] = wordAt(state, 1) + b;
  state[2] = wordAt(state, 2) + c;
  state[3] = wordAt(state, 3) + d;
  state[4] = wordAt(state, 4) + e;
  state[5] = wordAt(state, 5) + f;
  state[6] = wordAt(state, 6) + g;
  state[7] = wordAt(state, 7) + h;
}

function expandBlock(): void {
  for (let index = BLOCK_WORDS; index < ROUNDS; index += 1) {
    const x = wordAt(block, index - 15);
    const y = wordAt(block, index - 2);
    const mix0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const mix1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    block[index] = (wordAt(block, index - 16) + mix0 + wordAt(block, index - 7) + mix1) | 0;
  }
}

function wordsOf(hexadecimal: string): Int32Array {
  return Int32Array.from(hexadecimal.trim().split(/\s+/), (word) => Number.parseInt(word, 16));
}
