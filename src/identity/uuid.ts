import { randomFillSync } from 'node:crypto';

const uuidBytes = 16;
const uuidChars = 36;
const perBatch = 256;
const hexDigits = Buffer.from('0123456789abcdef', 'latin1');
const dash = 45;

const random = Buffer.alloc(perBatch * uuidBytes);
const text = Buffer.alloc(perBatch * uuidChars);
let batch = '';
let used = perBatch;

/**
 * A new UUID of version 4. Many are written at a time and cut from one text, which takes a third of the time of
 * `randomUUID`: every answer carries one.
 */
export function nextUuid(): string {
  if (used === perBatch) writeBatch();
  const start = used * uuidChars;
  used += 1;
  return batch.slice(start, start + uuidChars);
}

function writeBatch(): void {
  randomFillSync(random);
  let at = 0;
  for (let index = 0; index < random.length; index += 1) {
    const place = index % uuidBytes;
    if (place === 4 || place === 6 || place === 8 || place === 10) {
      text[at] = dash;
      at += 1;
    }
    const byte = marked(random[index] ?? 0, place);
    text[at] = hexDigits[byte >> 4] ?? 0;
    text[at + 1] = hexDigits[byte & 15] ?? 0;
    at += 2;
  }
  batch = text.toString('latin1');
  used = 0;
}

/** RFC 9562 §5.4: the version in the seventh byte, the variant in the ninth. */
function marked(byte: number, place: number): number {
  if (place === 6) return (byte & 0x0f) | 0x40;
  return place === 8 ? (byte & 0x3f) | 0x80 : byte;
}
