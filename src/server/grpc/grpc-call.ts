import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { codes, type GrpcStatus } from './grpc-status.ts';
import { framed } from './message-frames.ts';

const answerHeaders: OutgoingHttpHeaders = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-accept-encoding': 'identity,deflate,gzip',
};
const fine: OutgoingHttpHeaders = { 'grpc-status': String(codes.OK) };

/** The answering side of a call. What is said after its end, or to a caller who has gone, is not said. */
export class GrpcCall {
  readonly #stream: ServerHttp2Stream;
  #trailers = fine;
  #hasBegun = false;
  #hasEnded = false;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  /** Whether nobody waits for an answer any more. */
  get isOver(): boolean {
    return this.#hasEnded || this.#stream.destroyed || this.#stream.closed;
  }

  /** One message of several. */
  write(message: Uint8Array): void {
    if (this.isOver) return;
    this.#begin();
    this.#stream.write(framed(message));
  }

  /** The last message, or none. */
  end(message?: Uint8Array): void {
    if (this.isOver) return;
    this.#begin();
    this.#hasEnded = true;
    if (message === undefined) this.#stream.end();
    else this.#stream.end(framed(message));
  }

  /** Ends it, whatever else its caller still sends. */
  refuse(status: GrpcStatus): void {
    if (this.isOver) return;
    this.#hasEnded = true;
    const trailers = trailersOf(status);
    if (this.#hasBegun) {
      this.#trailers = trailers;
      this.#stream.end();
    } else this.#stream.respond({ ...answerHeaders, ...trailers }, { endStream: true });
    release(this.#stream);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(this.#trailers));
    this.#stream.respond(answerHeaders, { waitForTrailers: true });
  }
}

/** Answers what is no call of gRPC. */
export function refuseForeign(stream: ServerHttp2Stream, status: number): false {
  if (stream.destroyed || stream.closed) return false;
  stream.respond({ ':status': status }, { endStream: true });
  release(stream);
  return false;
}

/** A stream whose other half stays open would be held for as long as its caller likes. */
function release(stream: ServerHttp2Stream): void {
  stream.close(constants.NGHTTP2_NO_ERROR);
}

function trailersOf({ code, details }: GrpcStatus): OutgoingHttpHeaders {
  return { 'grpc-status': String(code), 'grpc-message': encodeURI(details) };
}
