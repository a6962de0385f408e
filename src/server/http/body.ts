import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The body of most requests, in bytes. */
export const defaultBodyBytes = 64 * 1024;

/** How reading a body ended. `gone`: the client went away, and nobody waits for an answer. */
export type BodyReading =
  /** JSON, or the bytes themselves where these were asked for. */
  | { readonly kind: 'body'; readonly value: unknown }
  | { readonly kind: 'too-large' | 'not-json' | 'gone' | 'encoded' };

const tooLarge: BodyReading = { kind: 'too-large' };
const notJson: BodyReading = { kind: 'not-json' };
const gone: BodyReading = { kind: 'gone' };
const encoded: BodyReading = { kind: 'encoded' };
const nothing = Buffer.alloc(0);

/** How a body is read. */
export interface BodyOptions {
  /** Bytes; what is larger is not read to its end. */
  readonly bodyBytes: number;
  /** Whether the bytes are wanted, not what they say in JSON. */
  readonly rawBody: boolean;
}

/**
 * Reads a body and hands over how that ended, once. Most bodies come in one piece with their headers: once node:http has
 * been through that piece they are there to be taken, which costs a fraction of listening to a stream.
 */
export function readBody(
  request: IncomingMessage,
  options: BodyOptions,
  done: (reading: BodyReading) => void,
): void {
  const objection = objectionTo(request, options.bodyBytes);
  if (objection === null) process.nextTick(takeBody, request, options, done);
  else done(objection);
}

function takeBody(
  request: IncomingMessage,
  options: BodyOptions,
  done: (reading: BodyReading) => void,
): void {
  if (!request.complete) {
    listenToBody(request, options, done);
    return;
  }
  const taken: Buffer | null = request.read();
  const whole = taken ?? nothing;
  done(whole.length > options.bodyBytes ? tooLarge : readingOf(whole, options));
}

function listenToBody(
  request: IncomingMessage,
  options: BodyOptions,
  done: (reading: BodyReading) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const end = (reading: BodyReading) => {
    if (isOver) return;
    isOver = true;
    done(reading);
  };
  if (request.destroyed) {
    end(gone);
    return;
  }
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= options.bodyBytes) {
      chunks.push(chunk);
      return;
    }
    request.pause();
    end(tooLarge);
  });
  request.on('end', () => end(readingOf(Buffer.concat(chunks, bytes), options)));
  // Without a listener for `error` a request that is cut off just closes.
  request.on('close', () => end(gone));
}

function readingOf(bytes: Buffer, { rawBody }: BodyOptions): BodyReading {
  return rawBody ? { kind: 'body', value: bytes } : parsed(bytes);
}

/** What the headers alone rule out. */
function objectionTo({ headers }: IncomingMessage, most: number): BodyReading | null {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return encoded;
  return Number(headers['content-length'] ?? 0) > most ? tooLarge : null;
}

/** The message of a parse error quotes the body, which may hold an identifier, so it goes nowhere. */
function parsed(bytes: Buffer): BodyReading {
  if (!isUtf8(bytes)) return notJson;
  try {
    return { kind: 'body', value: JSON.parse(bytes.toString('utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return notJson;
    throw error;
  }
}
