import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { GatheredBytes } from '../../connections/gathered-bytes.ts';

/** The body of most requests, in bytes. */
export const defaultBodyBytes = 64 * 1024;

/** How reading a body ended. `gone`: the client went away, and nobody waits for an answer. */
export type BodyReading =
  /** JSON, or the bytes themselves where these were asked for. Undefined where JSON was asked for and nothing came. */
  | { readonly kind: 'body'; readonly value: unknown }
  | { readonly kind: 'too-large' | 'not-json' | 'gone' | 'encoded' };

const tooLarge: BodyReading = { kind: 'too-large' };
const nothingSent: BodyReading = { kind: 'body', value: undefined };
const notJson: BodyReading = { kind: 'not-json' };
const gone: BodyReading = { kind: 'gone' };
const encoded: BodyReading = { kind: 'encoded' };

/** How a body is read. */
export interface BodyOptions {
  /** Bytes; what is larger is not read to its end. */
  readonly bodyBytes: number;
  /** Whether the bytes are wanted, not what they say in JSON. */
  readonly rawBody: boolean;
}

/** Reads a body and hands over how that ended, once. */
export function readBody(
  request: IncomingMessage,
  { bodyBytes: most, rawBody }: BodyOptions,
  done: (reading: BodyReading) => void,
): void {
  const objection = objectionTo(request, most);
  if (objection !== null) {
    done(objection);
    return;
  }
  const bytes = new GatheredBytes();
  let isOver = false;
  const end = (reading: BodyReading) => {
    if (isOver) return;
    isOver = true;
    done(reading);
  };
  request.on('data', (chunk: Buffer) => {
    if (bytes.length + chunk.length <= most && !bytes.isInCrumbs) {
      bytes.add(chunk);
      return;
    }
    request.pause();
    end(tooLarge);
  });
  request.on('end', () => {
    const whole = bytes.whole();
    end(rawBody ? { kind: 'body', value: whole } : parsed(whole));
  });
  // Without a listener for `error` a request that is cut off just closes.
  request.on('close', () => end(gone));
}

/** What the headers alone rule out. */
function objectionTo({ headers }: IncomingMessage, most: number): BodyReading | null {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return encoded;
  return Number(headers['content-length'] ?? 0) > most ? tooLarge : null;
}

/** The message of a parse error quotes the body, which may hold an identifier, so it goes nowhere. */
function parsed(bytes: Buffer): BodyReading {
  if (bytes.length === 0) return nothingSent;
  if (!isUtf8(bytes)) return notJson;
  try {
    return { kind: 'body', value: JSON.parse(bytes.toString('utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return notJson;
    throw error;
  }
}
