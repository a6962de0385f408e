import { decodeFrame, type Frame, lengthBytes } from './frame.ts';
import { SpopViolation } from './spop-status.ts';

/**
 * Cuts a stream of bytes into frames. Holds at most one frame that is not whole yet, and none that says of itself that it
 * is longer than allowed.
 */
export class FrameSplitter {
  #chunks: Uint8Array[] = [];
  #held = 0;
  /** Bytes that must be there before it is worth looking again. */
  #wanted = lengthBytes;
  #mostBytes: number;

  /** @param mostBytes of a frame, its length not counted. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** What both sides have agreed on. */
  bound(mostBytes: number): void {
    this.#mostBytes = mostBytes;
  }

  /**
   * The frames that are whole now, one by one, so that what one of them changes counts for the next.
   *
   * @throws SpopViolation when a frame is too long or no frame.
   */
  *push(chunk: Uint8Array): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held < this.#wanted) return;
    let rest = Buffer.concat(this.#chunks, this.#held);
    for (;;) {
      const end = this.#endOf(rest);
      if (end === null) break;
      const frame = decodeFrame(rest.subarray(lengthBytes, end));
      rest = rest.subarray(end);
      yield frame;
    }
    this.#chunks = [rest];
    this.#held = rest.length;
  }

  /** Where the first frame ends; null while it is not whole. */
  #endOf(bytes: Buffer): number | null {
    this.#wanted = lengthBytes;
    if (bytes.length < lengthBytes) return null;
    const length = bytes.readUInt32BE(0);
    if (length > this.#mostBytes) throw new SpopViolation('tooBig');
    this.#wanted = lengthBytes + length;
    return bytes.length < this.#wanted ? null : this.#wanted;
  }
}
