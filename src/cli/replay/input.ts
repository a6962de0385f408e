import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Fault } from '../../core/fault.ts';
import type { CommandIo } from '../streams.ts';
import { refuseForeignBytes, TELLING_BYTES } from './foreign-bytes.ts';

/** What a command reads, unpacked, and how far it has come. */
export interface Input {
  /** The bytes. Rejects with `INPUT_INVALID` when they are no text, or packed data is damaged or ends too soon. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Of what there is, how much has been read, from 0 to 1; null when nobody knows how much there is. */
  readonly share: () => number | null;
  /** When it was written last, in ms since 1970: now for standard input. */
  readonly writtenAt: number;
}

const CHUNK_BYTES = 1 << 18;
const gzipMagic = [0x1f, 0x8b] as const;

/**
 * Opens a file, or standard input for `-`. What begins as gzip does is unpacked on the way, a chunk at a time, so that no input
 * can unpack into more memory than a chunk.
 */
export function openInput(file: string, io: CommandIo, now: () => number = Date.now): Input {
  const { size, mtimeMs } = file === '-' ? { size: 0, mtimeMs: now() } : statOf(file);
  if (file === '-') greetTerminal(io);
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    // Not before somebody reads: a file that is not there would end a program that has refused an option meanwhile.
    const source = file === '-' ? io.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
    for await (const chunk of source) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      read += bytes.length;
      yield bytes;
    }
  }
  return {
    chunks: unpacked(counted()),
    share: () => (size > 0 ? Math.min(1, read / size) : null),
    writtenAt: mtimeMs,
  };
}

/** A command that waits for a person who waits for it looks as if it hung: options with several values may take the file's name. */
function greetTerminal({ stdin, stderr }: CommandIo): void {
  if (!('isTTY' in stdin) || stdin.isTTY !== true) return;
  stderr.write(
    'portcullis: reading from the terminal until Ctrl-D: no file was named, or an option took it\n',
  );
}

/** A file that is not there is told of when it is opened, in the same words as for any other command. */
function statOf(file: string): { readonly size: number; readonly mtimeMs: number } {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Fault('INPUT_INVALID', `${file} is a folder: name a file in it`);
  return found?.isFile() ? found : { size: 0, mtimeMs: Date.now() };
}

async function* unpacked(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const head = await beginOf(source);
  try {
    refuseForeignBytes(head);
  } catch (cause) {
    await source.return(undefined);
    throw cause;
  }
  const whole = followedBy(head, source);
  if (gzipMagic.some((byte, at) => head[at] !== byte)) yield* whole;
  else yield* gunzipped(whole);
}

/** Enough bytes to tell what it is, where there are as many. */
async function beginOf(source: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < TELLING_BYTES) {
    const next = await source.next();
    if (next.done) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return head;
}

async function* followedBy(head: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}

async function* gunzipped(packed: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed);
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  source.on('error', (cause) => gunzip.destroy(cause));
  try {
    yield* source.pipe(gunzip);
  } catch (cause) {
    throw isZlibError(cause)
      ? new Fault('INPUT_INVALID', `the gzip data is damaged or ends too soon (${cause.code})`, { cause })
      : cause;
  } finally {
    source.destroy();
  }
}

function isZlibError(cause: unknown): cause is Error & { readonly code: string } {
  return cause instanceof Error && 'code' in cause && /^Z_/.test(String(cause.code));
}
