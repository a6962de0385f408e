/** Lines that are written together. */
export interface LineChunk {
  readonly bytes: Buffer;
  readonly lines: number;
  /** How many of the bytes are in the file: a disk may take a part of them. */
  written: number;
  /** The file that has them; null before any has. */
  into: object | null;
}

const CHUNK_BYTES = 64 * 1024;

/** Lines that wait for the disk, up to a bound. What does not fit is refused: a slow disk costs lines, never memory. */
export class PendingLines {
  readonly #maxBytes: number;
  #texts: string[] = [];
  #textBytes = 0;
  readonly #chunks: LineChunk[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Whether there is enough for a write that is worth it. */
  get hasChunk(): boolean {
    return this.#chunks.length > 0;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.#maxBytes;
  }

  /** @param line ASCII, with its line end */
  add(line: string): void {
    this.#texts.push(line);
    this.#textBytes += line.length;
    this.#bytes += line.length;
    if (this.#textBytes >= CHUNK_BYTES) this.#seal();
  }

  /** The oldest lines, which stay until they are dropped. */
  first(): LineChunk | undefined {
    if (this.#chunks.length === 0 && this.#texts.length > 0) this.#seal();
    return this.#chunks[0];
  }

  /** Forgets the oldest lines. */
  dropFirst(): void {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) this.#bytes -= chunk.bytes.length;
  }

  /** How many lines wait. */
  count(): number {
    return this.#chunks.reduce((total, { lines }) => total + lines, this.#texts.length);
  }

  #seal(): void {
    const bytes = Buffer.from(this.#texts.join(''), 'latin1');
    this.#chunks.push({ bytes, lines: this.#texts.length, written: 0, into: null });
    this.#texts = [];
    this.#textBytes = 0;
  }
}
