import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The body of most requests, in bytes. */
export const defaultBodyBytes = 64 * 1024;

/** How reading a body ended. `gone`: the client went away, and nobody waits for an answer. */
export type BodyReading =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'too-large' | 'not-json' | 'gone' | 'encoded' };

const tooLarge: BodyReading = { kind: 'too-large' };
const notJson: BodyReading = { kind: 'not-json' };
const gone: BodyReading = { kind: 'gone' };
const encoded: BodyReading = { kind: 'encoded' };

/** Reads a body of at most `most` bytes as JSON. What is larger is not read to its end. */
export function readJson(request: IncomingMessage, most: number): Promise<BodyReading> {
  const { headers } = request;
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    return Promise.resolve(encoded);
  }
  if (Number(headers['content-length'] ?? 0) > most) return Promise.resolve(tooLarge);
  return new Promise((resolve) => {
    let bytes = 0;
    let first: Buffer | null = null;
    let rest: Buffer[] | null = null;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) {
        request.pause();
        resolve(tooLarge);
      } else if (first === null) first = chunk;
      else if (rest === null) rest = [first, chunk];
      else rest.push(chunk);
    });
    request.on('end', () => resolve(parsed(rest === null ? first : Buffer.concat(rest, bytes))));
    request.on('close', () => resolve(gone));
    request.on('error', () => resolve(gone));
  });
}

/** The message of a parse error quotes the body, which may hold an identifier, so it goes nowhere. */
function parsed(bytes: Buffer | null): BodyReading {
  if (bytes === null || !isUtf8(bytes)) return notJson;
  try {
    return { kind: 'json', value: JSON.parse(bytes.toString('utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return notJson;
    throw error;
  }
}
