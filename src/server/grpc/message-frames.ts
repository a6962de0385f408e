import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { GatheredBytes } from '../../connections/gathered-bytes.ts';
import { codes, type GrpcStatus, unreadable } from './grpc-status.ts';

/** A byte that says whether the message is compressed, and four for its length. */
const prefixBytes = 5;

/** A message as it goes over the wire. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(prefixBytes + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixBytes);
  return frame;
}

/** What may come as the one message of a call. */
export interface MessageTerms {
  /** Of a message, compressed or not. */
  readonly mostBytes: number;
  /** What a longer one is told. */
  readonly tooLong: GrpcStatus;
  /** `grpc-encoding`, for messages that say that they are compressed. */
  readonly encoding: string;
}

/** Told once, of the message or of why there is none; of neither when the caller goes before. */
export interface MessageTaker {
  take(message: Buffer): void;
  refuse(status: GrpcStatus): void;
}

/** Reads the one message of a call, and holds no more of what comes than that. */
export function readMessage(stream: Readable, terms: MessageTerms, taker: MessageTaker): void {
  const held = new GatheredBytes();
  let isRefused = false;
  const refuse = (status: GrpcStatus) => {
    isRefused = true;
    taker.refuse(status);
  };
  stream.on('data', (piece: Buffer) => {
    if (isRefused) return;
    held.add(piece);
    if (held.length < prefixBytes) return;
    const announced = held.whole().readUInt32BE(1);
    if (announced > terms.mostBytes || held.isInCrumbs) refuse(terms.tooLong);
    else if (held.length > prefixBytes + announced) refuse(unreadable);
  });
  stream.on('end', () => {
    if (isRefused) return;
    const whole = held.whole();
    if (whole.length < prefixBytes || whole.length < prefixBytes + whole.readUInt32BE(1)) {
      refuse(unreadable);
      return;
    }
    const message = whole.subarray(prefixBytes);
    if (whole[0] === 0) return taker.take(message);
    return void decompressed(message, terms).then((found) =>
      Buffer.isBuffer(found) ? taker.take(found) : refuse(found),
    );
  });
}

const decompressions = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/** The message, or why there is none. */
async function decompressed(message: Buffer, terms: MessageTerms): Promise<Buffer | GrpcStatus> {
  const { encoding, mostBytes } = terms;
  if (encoding !== 'gzip' && encoding !== 'deflate') return unknownEncoding;
  try {
    return await decompressions[encoding](message, { maxOutputLength: mostBytes });
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLong ? terms.tooLong : unreadable;
  }
}

const unknownEncoding: GrpcStatus = {
  code: codes.UNIMPLEMENTED,
  details: 'A message may be compressed with gzip or deflate',
};
