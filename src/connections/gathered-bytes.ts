const nothing = Buffer.alloc(0);
/** From so many pieces on they should have so many bytes each; what writes a body in small parts has fewer, or larger ones. */
const fewPieces = 1_000;
const crumbBytes = 16;

/**
 * Bytes that come in pieces, kept as one. A piece takes some hundred bytes besides its own: whoever sends them one by
 * one would have a list of them take that many times what it was bounded to.
 */
export class GatheredBytes {
  /** Up to twice as long as what is in it; the first piece stays itself. */
  #room: Buffer = nothing;
  #length = 0;
  #pieces = 0;

  get length(): number {
    return this.#length;
  }

  /** Whether they come in thousands of pieces of next to nothing, of which each costs as much time as a large one. */
  get isInCrumbs(): boolean {
    return this.#pieces > fewPieces && this.#length < this.#pieces * crumbBytes;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#room = piece;
    else {
      if (length > this.#room.length) this.#grow(2 * length);
      this.#room.set(piece, this.#length);
    }
    this.#length = length;
    this.#pieces += 1;
  }

  /** All that there are so far. */
  whole(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  #grow(to: number): void {
    const room = Buffer.allocUnsafeSlow(to);
    room.set(this.whole());
    this.#room = room;
  }
}
