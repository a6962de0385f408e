import { hash } from 'node:crypto';
import { Fault, shapeOf } from '../core/fault.ts';

/** A secret as text, taken as UTF-8, or as bytes. */
export type Secret = string | Uint8Array;

/** A 128-bit secret is beyond guessing; a shorter one is taken for a mistake. */
const leastSecretBytes = 16;
const blockBytes = 64;
const digestBytes = 32;
/** 132 of the 256 bits: no two subjects meet by chance, and keys stay short. */
const textLength = 22;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const mostBytesPerUnit = 3;
const scratchBytes = 4096;

/**
 * HMAC-SHA256 under one secret, as the first 22 characters of its base64url text. Two one-shot hashes over
 * prepared blocks: the same function as `createHmac`, in a little over half its time.
 *
 * @param field the option that the secret came by, for the message
 * @throws Fault `CONFIG_INVALID` when the secret has fewer than 16 bytes.
 */
export function createHmacText(secret: Secret, field = 'secret'): (message: string) => string {
  const key = keyBlock(secretBytes(secret, field));
  const inner = Buffer.alloc(blockBytes + scratchBytes);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  const text = Buffer.alloc(textLength);
  for (let index = 0; index < blockBytes; index += 1) {
    inner[index] = (key[index] ?? 0) ^ 0x36;
    outer[index] = (key[index] ?? 0) ^ 0x5c;
  }
  return (message) => {
    const digest = hash('sha256', innerMessage(inner, message), 'binary');
    outer.write(digest, blockBytes, 'latin1');
    // Not cut out of the whole text: what is cut out keeps all of it in memory, and takes longer to compare.
    text.write(hash('sha256', outer, 'base64url'), 'latin1');
    return text.toString('latin1');
  };
}

function innerMessage(inner: Buffer, message: string): Buffer {
  if (message.length * mostBytesPerUnit > scratchBytes) {
    return Buffer.concat([inner.subarray(0, blockBytes), Buffer.from(message, 'utf8')]);
  }
  return inner.subarray(0, blockBytes + inner.write(message, blockBytes, 'utf8'));
}

function keyBlock(secret: Buffer): Buffer {
  return secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret;
}

/**
 * A copy of the bytes of a secret.
 *
 * @param field the option that it came by, for the message
 * @throws Fault `CONFIG_INVALID` when it is none, or has fewer than 16 bytes.
 */
export function secretBytes(secret: Secret, field = 'secret'): Buffer {
  assertSecret(secret, field);
  const bytes = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : Buffer.from(secret);
  if (bytes.length >= leastSecretBytes) return bytes;
  throw new Fault(
    'CONFIG_INVALID',
    `${field} must have at least ${leastSecretBytes} bytes, got ${bytes.length}.`,
  );
}

/** An environment variable that is not set is the usual reason. */
export function assertSecret(secret: unknown, field = 'secret'): asserts secret is Secret {
  if (typeof secret === 'string' || secret instanceof Uint8Array) return;
  const hint = `text or bytes, at least ${leastSecretBytes} (openssl rand -hex 32)`;
  throw new Fault('CONFIG_INVALID', `${field} must be ${hint}, got ${shapeOf(secret)}.`);
}
