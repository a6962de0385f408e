import { PayloadReader } from './payload-reader.ts';
import { PayloadWriter } from './payload-writer.ts';
import { SpopViolation } from './spop-status.ts';
import type { KeyValues } from './typed-data.ts';

/** The kinds of frames (SPOE specification §3.2.2). */
export const frameTypes = {
  unset: 0,
  haproxyHello: 1,
  haproxyDisconnect: 2,
  notify: 3,
  agentHello: 101,
  agentDisconnect: 102,
  ack: 103,
} as const;

/** A frame without its length. Unknown types are possible. */
export interface Frame {
  readonly type: number;
  /** False for a part of a fragmented payload. */
  readonly fin: boolean;
  readonly abort: boolean;
  readonly streamId: number;
  readonly frameId: number;
  readonly payload: Uint8Array;
}

const finBit = 1;
const abortBit = 2;
export const lengthBytes = 4;

/** @throws SpopViolation when the bytes are no frame. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const reader = new PayloadReader(bytes);
  const type = reader.byte();
  const flags = reader.bytes(4).readUInt32BE(0);
  const streamId = reader.integer();
  const frameId = reader.integer();
  return {
    type,
    fin: (flags & finBit) !== 0,
    abort: (flags & abortBit) !== 0,
    streamId,
    frameId,
    payload: reader.rest(),
  };
}

/** With its length in front, as it goes over the wire. */
export function encodeFrame({ type, fin, abort, streamId, frameId, payload }: Frame): Buffer {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE((fin ? finBit : 0) | (abort ? abortBit : 0), 1);
  const frame = new PayloadWriter().bytes(head).varint(streamId).varint(frameId).bytes(payload);
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(frame.length, 0);
  return Buffer.concat([length, frame.finish()]);
}

/** What HAProxy tells about one stream. */
export interface Message {
  readonly name: string;
  readonly args: KeyValues;
}

/** More messages than this belong to no event. */
const mostMessages = 32;

/** @throws SpopViolation when the payload is no list of messages. */
export function decodeMessages(payload: Uint8Array): Message[] {
  const reader = new PayloadReader(payload);
  const messages: Message[] = [];
  while (!reader.isAtEnd) {
    if (messages.length >= mostMessages) throw new SpopViolation('invalid');
    const name = reader.string();
    messages.push({ name, args: reader.keyValues(reader.byte()) });
  }
  return messages;
}
