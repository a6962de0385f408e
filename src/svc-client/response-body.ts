import { Fault } from '../core/fault.ts';
import type { SvcBody } from './transport.ts';

/** The connection a body comes from. */
export interface Flow {
  pause(): void;
  resume(): void;
  /** Gives the rest up. */
  abort(reason: Error): void;
}

/** Bytes kept for a reader that has not come yet; more than that waits in the connection. */
const UNREAD_MAX_BYTES = 65_536;
/** What a piece counts for at least: each costs more than its bytes to keep, and to take the first of very many costs a walk over them. */
const PIECE_MIN_BYTES = 256;
/** A body that nobody wants is read this far to keep its connection; further than that the connection goes. */
const DUMP_MAX_BYTES = 131_072;

type Ending = { readonly kind: 'complete' } | { readonly kind: 'failed'; readonly reason: unknown };
const complete: Ending = { kind: 'complete' };

/**
 * A response body, filled by a connection. Not a Node stream on purpose: most answers between services are small and
 * there in one piece before anybody asks, and a stream costs more than the rest of the call.
 */
export class ResponseBody implements SvcBody {
  private readonly flow: Flow;
  private chunks: Uint8Array[] = [];
  private unreadBytes = 0;
  private ending: Ending | null = null;
  private reader: 'none' | 'chunks' | 'whole' | 'dump' = 'none';
  private wake: (() => void) | null = null;
  /** How many pieces were taken one by one, or came while it was dumped. */
  taken = 0;

  constructor(flow: Flow) {
    this.flow = flow;
  }

  push(chunk: Uint8Array): void {
    if (this.reader === 'dump') {
      this.unreadBytes += chunk.length;
      this.taken += 1;
      if (this.unreadBytes > DUMP_MAX_BYTES) this.flow.abort(givenUp());
      return;
    }
    this.unreadBytes += weightOf(chunk);
    // Most bodies are one chunk: an array that grows by push takes room for seventeen.
    if (this.chunks.length === 0) this.chunks = [chunk];
    else this.chunks.push(chunk);
    if (this.reader !== 'whole' && this.unreadBytes > UNREAD_MAX_BYTES) this.flow.pause();
    this.wakeReader();
  }

  /**
   * Whether something waits to be taken. Who reads it whole takes it as it comes; one that nobody wants waits for its own end,
   * which may never come.
   */
  get isUnread(): boolean {
    if (this.reader === 'dump') return this.ending === null;
    return this.chunks.length > 0 && this.reader !== 'whole';
  }

  complete(): void {
    this.ending ??= complete;
    this.wakeReader();
  }

  /** Ends the body early; its reader is told the reason. */
  fail(reason: unknown): void {
    this.ending ??= { kind: 'failed', reason };
    this.wakeReader();
  }

  async text(): Promise<string> {
    this.claim('whole');
    if (this.ending === null) await this.end();
    const bytes = this.joined();
    const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return bytes.toString('utf8', bom ? 3 : 0);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    this.claim('whole');
    if (this.ending === null) await this.end();
    const bytes = this.joined();
    const copy = new ArrayBuffer(bytes.length);
    new Uint8Array(copy).set(bytes);
    return copy;
  }

  async dump(): Promise<void> {
    if (this.reader !== 'none') return;
    this.reader = 'dump';
    this.chunks = [];
    if (this.ending === null) await this.end();
  }

  /**
   * Not the generator itself: its `return` does nothing before the first read and waits behind a pending one, while the
   * connection is to be let go at once.
   */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, void, undefined> {
    const chunks = this.read();
    let reads = false;
    const begin = (): void => {
      reads ||= this.reader === 'none';
    };
    return {
      next: () => {
        begin();
        return chunks.next();
      },
      return: () => {
        begin();
        if (reads) this.giveUp();
        return chunks.return();
      },
    };
  }

  private async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    this.claim('chunks');
    for (let chunk = await this.next(); chunk !== null; chunk = await this.next()) yield chunk;
  }

  /** Lets the connection go. A read that is pending fails. */
  private giveUp(): void {
    this.reader = 'chunks';
    if (this.ending !== null) return;
    const reason = givenUp();
    this.flow.abort(reason);
    this.fail(reason);
  }

  /** A body can be read once, in one way. */
  private claim(reader: 'chunks' | 'whole'): void {
    if (this.reader !== 'none') throw new Fault('INPUT_INVALID', 'body: it has been read already');
    this.reader = reader;
  }

  private async end(): Promise<void> {
    while (this.ending === null) await this.more();
  }

  /** All of an ended body. */
  private joined(): Buffer {
    if (this.ending?.kind === 'failed') throw this.ending.reason;
    const [first] = this.chunks;
    if (first === undefined || this.chunks.length > 1) return Buffer.concat(this.chunks);
    return Buffer.isBuffer(first) ? first : Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  }

  private async next(): Promise<Uint8Array | null> {
    for (;;) {
      const chunk = this.chunks.shift();
      if (chunk !== undefined) {
        this.unreadBytes -= weightOf(chunk);
        this.taken += 1;
        return chunk;
      }
      if (this.ending?.kind === 'failed') throw this.ending.reason;
      if (this.ending !== null) return null;
      await this.more();
    }
  }

  /** Resolves when there is more, or an end. A connection that goes on may bring it before `resume` returns. */
  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      this.flow.resume();
    });
  }

  private wakeReader(): void {
    const wake = this.wake;
    this.wake = null;
    wake?.();
  }
}

function weightOf(chunk: Uint8Array): number {
  return Math.max(PIECE_MIN_BYTES, chunk.length);
}

function givenUp(): Error {
  return new DOMException('The rest of the body is not wanted', 'AbortError');
}
