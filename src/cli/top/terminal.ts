import type { ReadStream, WriteStream } from 'node:tty';
import type { CommandIo } from '../streams.ts';

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';
const CONTROL_C = '\u0003';

/** A screen that is drawn in place, and given back as it was. */
export class Terminal {
  readonly #out: WriteStream;
  readonly #in: ReadStream | null;
  readonly #onKey: (data: Buffer) => void;
  readonly #onResize: () => void;

  /** Takes the screen over. `onQuit` is told of `q` and Ctrl-C, `onResize` of another size. */
  constructor(out: WriteStream, input: ReadStream | null, onQuit: () => void, onResize: () => void) {
    this.#out = out;
    this.#in = input;
    this.#onResize = onResize;
    this.#onKey = (data) => {
      const keys = data.toString('latin1');
      if (keys.includes('q') || keys.includes('Q') || keys.includes(CONTROL_C)) onQuit();
    };
    out.write(enter);
    out.on('resize', onResize);
    input?.setRawMode(true);
    input?.on('data', this.#onKey);
    input?.resume();
  }

  get columns(): number {
    return Math.max(20, this.#out.columns || 80);
  }

  get rows(): number {
    return Math.max(5, this.#out.rows || 24);
  }

  /** In one write, line over line, so that nothing flickers. */
  draw(lines: readonly string[]): void {
    this.#out.write(`${home}${lines.map((line) => `${line}${clearLine}`).join('\r\n')}${clearBelow}`);
  }

  /** Gives the screen back. */
  close(): void {
    this.#out.off('resize', this.#onResize);
    this.#in?.off('data', this.#onKey);
    this.#in?.setRawMode(false);
    this.#in?.pause();
    this.#out.write(leave);
  }
}

/** The terminal behind the streams of a command; null when output goes elsewhere. */
export function terminalStreams({
  stdin,
  stdout,
}: CommandIo): { out: WriteStream; input: ReadStream | null } | null {
  if (!isTerminal<WriteStream>(stdout)) return null;
  return { out: stdout, input: isTerminal<ReadStream>(stdin) ? stdin : null };
}

function isTerminal<S extends ReadStream | WriteStream>(stream: object): stream is S {
  return 'isTTY' in stream && stream.isTTY === true;
}
