import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { waitMsOf } from './call-deadline.ts';
import type { Admittance, CallerTraits } from './caller-check.ts';
import { GrpcCall, refuseForeign } from './grpc-call.ts';
import { codes, type GrpcStatus, tooLong, unreadable } from './grpc-status.ts';
import { readMessage } from './message-frames.ts';
import type { StrangerCalls } from './stranger-calls.ts';
import type { MessageHandler } from './unary-handler.ts';

/** Answers anybody. Where the call goes on after that, gives what is to be called when it has ended. */
export type OpenHandler = (bytes: Buffer, call: GrpcCall) => (() => void) | null;

/** Whom the desk serves with what. Methods are named by their paths. */
export interface DeskParts {
  readonly check: (caller: CallerTraits) => Admittance;
  /** Told of the connection of everybody who is let in. */
  readonly onAdmitted: (peer: string) => void;
  readonly methods: ReadonlyMap<string, MessageHandler>;
  /** Those that anybody may call. */
  readonly openMethods: ReadonlyMap<string, OpenHandler>;
  readonly strangers: StrangerCalls;
  /** Of the largest message. */
  readonly messageBytes: number;
}

/** What those hear who are not let in. */
const refusals: Readonly<Record<Exclude<Admittance, 'admitted'>, GrpcStatus>> = {
  unauthenticated: { code: codes.UNAUTHENTICATED, details: 'A token is needed: authorization: Bearer …' },
  forbidden: {
    code: codes.PERMISSION_DENIED,
    details: 'A token with the role "decide" is needed; without any token only this machine is served',
  },
};
const notServed: GrpcStatus = { code: codes.UNIMPLEMENTED, details: 'There is no method of this name' };
const late: GrpcStatus = { code: codes.DEADLINE_EXCEEDED, details: 'The deadline has passed' };
/** Calls whose messages are in Protocol Buffers: not gRPC-Web, which frames them in another way, nor JSON. */
const messageType = /^application\/grpc(?:\+proto)?\s*(?:;|$)/i;
/** The name of a service: anybody may send one. */
const mostOpenBytes = 1_024;

/**
 * Takes calls in. It asks who calls as soon as a call begins, before anything of its message is read, and holds nothing of whom it
 * refuses: neither the headers nor the stream, which a caller that never ends it would have us keep.
 */
export class CallDesk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** Gives false when the call was turned away. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: string): boolean {
    const openMethod = this.#parts.openMethods.get(headers[':path'] ?? '');
    if (headers[':method'] !== 'POST') return refuseForeign(stream, 405);
    if (!messageType.test(headers['content-type'] ?? '')) return refuseForeign(stream, 415);
    if (openMethod === undefined) return this.#takeCaller(stream, headers, peer);
    this.#takeStranger(openMethod, stream, encodingOf(headers), peer);
    return true;
  }

  #takeCaller(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: string): boolean {
    const call = new GrpcCall(stream);
    const method = this.#parts.methods.get(headers[':path'] ?? '');
    const caller = { peer, metadata: readerOf(headers) };
    if (method === undefined) {
      call.refuse(notServed);
      return false;
    }
    const admittance = this.#parts.check(caller);
    if (admittance !== 'admitted') {
      call.refuse(refusals[admittance]);
      return false;
    }
    this.#parts.onAdmitted(peer);
    endInTime(stream, call, waitMsOf(caller.metadata('grpc-timeout')));
    const terms = { mostBytes: this.#parts.messageBytes, tooLong, encoding: encodingOf(headers) };
    readMessage(stream, terms, {
      take: (bytes) => method(bytes, call, caller),
      refuse: (status) => call.refuse(status),
    });
    return true;
  }

  /** Without its headers: nobody knows who it is, and for how long it will stay. */
  #takeStranger(method: OpenHandler, stream: ServerHttp2Stream, encoding: Encoding, peer: string): void {
    const ended = this.#parts.strangers.begin(peer);
    stream.once('close', ended);
    const call = new GrpcCall(stream);
    const take = (bytes: Buffer) => {
      const left = method(bytes, call);
      if (left === null) return;
      ended();
      stream.once('close', left);
    };
    const terms = { mostBytes: mostOpenBytes, tooLong: unreadable, encoding };
    readMessage(stream, terms, { take, refuse: (status) => call.refuse(status) });
  }
}

/** The first value of a name in the metadata of a call; of one that comes several times Node makes one text. */
function readerOf(headers: IncomingHttpHeaders): (name: string) => string | undefined {
  return (name) => {
    const value = headers[name];
    return (typeof value === 'string' ? value : value?.[0])?.split(',', 1)[0]?.trim();
  };
}

type Encoding = 'gzip' | 'deflate' | 'other';

/** One of a few words of ours: the caller's own would have to be kept. */
function encodingOf({ 'grpc-encoding': encoding }: IncomingHttpHeaders): Encoding {
  return encoding === 'gzip' || encoding === 'deflate' ? encoding : 'other';
}

function endInTime(stream: ServerHttp2Stream, call: GrpcCall, waitMs: number | null): void {
  if (waitMs === null) return;
  const timer = setTimeout(() => call.refuse(late), waitMs);
  stream.once('close', () => clearTimeout(timer));
}
