import { refuseForeignBytes, TELLING_BYTES } from '../../../src/cli/replay/foreign-bytes.ts';
import { isLogged } from '../../../src/cli/replay/logged-line.ts';
import { Fault } from '../../../src/core/fault.ts';
import type { FileRun } from './file-run.ts';
import { type FileLine, LineSplitter } from './line-splitter.ts';
import type { FromReplay, ToReplay } from './replay-messages.ts';
import { isEventLine, ReplayRun, readPolicies } from './replay-run.ts';

/** Replays a file away from the page's own thread. Ended from outside: a cancelled worker is terminated. */

const PROGRESS_EVERY_MS = 100;
/** So much of a file is looked at to recognise what it is. */
const HEAD_LINES = 200;
const HEAD_CHARS = 1 << 20;

const say = (message: FromReplay) => postMessage(message);

/** Takes the lines of a file, and opens its replay once it is known what the file is. */
class Opening {
  readonly #order: ToReplay;
  readonly #head: FileLine[] = [];
  #headChars = 0;
  #run: FileRun | null = null;

  constructor(order: ToReplay) {
    this.#order = order;
  }

  get events(): number {
    return this.#run?.events ?? 0;
  }

  async take(lines: Iterable<FileLine>): Promise<void> {
    for (const line of lines) {
      if (this.#run === null) await this.#look(line);
      else {
        const waiting = this.#run.add(line);
        if (waiting !== null) await waiting;
      }
    }
  }

  /** The replay of what has been taken, opened also where the file was short. */
  async opened(): Promise<FileRun> {
    if (this.#run !== null) return this.#run;
    const run = await this.#open();
    for (const line of this.#head.splice(0)) await run.add(line);
    this.#run = run;
    return run;
  }

  async #look(line: FileLine): Promise<void> {
    this.#head.push(line);
    this.#headChars += line.text?.length ?? 0;
    const isKnown = this.#order.format !== 'detect' || isEventLine(line);
    if (isKnown || this.#head.length >= HEAD_LINES || this.#headChars >= HEAD_CHARS) await this.opened();
  }

  async #open(): Promise<FileRun> {
    const { format, policyA, policyB } = this.#order;
    const texts = this.#head.flatMap(({ text }) => (text === null || text === '' ? [] : [text]));
    // Its lines have a time and an operation, as events do, but hashes in place of names.
    if (isLogged(texts[0] ?? '')) throw new Fault('INPUT_INVALID', decisionLog);
    if (
      format === 'events' ||
      (format === 'detect' && (texts.length === 0 || this.#head.some(isEventLine)))
    ) {
      return new ReplayRun(
        readPolicies(policyA, policyB === null ? 'policy' : 'policy A'),
        policyB === null ? null : readPolicies(policyB, 'policy B'),
      );
    }
    const { openLogRun } = await import('./log-replay.ts');
    return openLogRun(this.#order, texts);
  }
}

const decisionLog =
  'This is the decision log of a service. Only the command line reads it: portcullis replay FILE --format decisions';

const gzipMagic = [0x1f, 0x8b] as const;

/** What browsers unpack ends with the first packed part; command lines go on with the next. */
const badGzip =
  'The gzip data is damaged, ends too soon, or goes on behind its end, as several packed files in one do. Unpack it and try again.';

/** A browser lets nobody read on in a file that is another one by now, as a log that is still written to. */
const unreadable =
  'The file cannot be read: it has changed since it was chosen, or is gone. Choose it again; of a log that is still written to, choose a copy.';

/** By how it begins, not by its name: a log that was rotated has any. */
async function isPacked(file: File): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, TELLING_BYTES).arrayBuffer());
  refuseForeignBytes(head);
  return gzipMagic.every((byte, at) => head[at] === byte);
}

async function replay(order: ToReplay): Promise<void> {
  const { file } = order;
  const startedAt = performance.now();
  const packed = await isPacked(file);
  const opening = new Opening(order);
  const splitter = new LineSplitter();
  let saidAt = startedAt;
  let bytes = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.length;
        controller.enqueue(chunk);
      },
    }),
  );
  const reader = (packed ? counted.pipeThrough(new DecompressionStream('gzip')) : counted).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      if (!(cause instanceof TypeError)) throw cause;
      throw new Fault('INPUT_INVALID', packed ? badGzip : unreadable, { cause });
    });
    if (done) break;
    await opening.take(splitter.push(value));
    if (performance.now() - saidAt < PROGRESS_EVERY_MS) continue;
    saidAt = performance.now();
    say({ kind: 'progress', bytes, events: opening.events });
  }
  await opening.take(splitter.finish());
  const result = await (await opening.opened()).finish();
  say({ kind: 'done', result, durationMs: performance.now() - startedAt });
}

function wordsFor(cause: unknown): string {
  if (cause instanceof Fault) return cause.message;
  const isUnreadable =
    cause instanceof DOMException && (cause.name === 'NotReadableError' || cause.name === 'NotFoundError');
  return isUnreadable ? unreadable : `The file cannot be replayed: ${String(cause)}`;
}

addEventListener('message', (event: MessageEvent<ToReplay>) => {
  replay(event.data).catch((cause: unknown) => {
    say({ kind: 'refused', why: wordsFor(cause) });
  });
});
