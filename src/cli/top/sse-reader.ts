/** More than this without an end is no event of ours. In characters. */
const LONGEST_EVENT = 1 << 20;

/** An event of a server-sent stream. */
export interface SseEvent {
  readonly id: string | null;
  readonly data: string;
}

/** Cuts a stream of server-sent events into events, whatever the chunks. Comments and unknown fields are left out. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  #rest = '';

  /** The events that this chunk completes. */
  push(chunk: Uint8Array): SseEvent[] {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    const blocks = this.#rest.split(/\r?\n\r?\n/);
    this.#rest = blocks.pop() ?? '';
    if (this.#rest.length > LONGEST_EVENT) this.#rest = '';
    return blocks.flatMap(eventOf);
  }
}

function eventOf(block: string): SseEvent[] {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('data:')) data.push(line.slice(line.charAt(5) === ' ' ? 6 : 5));
    else if (line.startsWith('id:')) id = line.slice(3).trim();
  }
  return data.length === 0 ? [] : [{ id, data: data.join('\n') }];
}
