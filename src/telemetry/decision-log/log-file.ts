import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../../core/fault.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../folders/make-folder.ts';
import { decisionLogBegin } from './log-line.ts';
import type { LineChunk } from './pending-lines.ts';

const NEWLINE = 10;
/** Whoever can read the file can see who did what, by pseudonym: nobody but the service's own user. */
const OWNER_ONLY = 0o600;
/** A link in the file's place is not followed: it could lead the service to a file of somebody else. */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/**
 * A file that is only appended to and never grows above its bound: before it would, it becomes `FILE.1`, and the one before that is gone.
 * A file that was moved or deleted meanwhile is made anew.
 */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #handle: FileHandle | null = null;
  #bytes = 0;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Opens the file, or another one where it was moved or deleted. Rejects when it cannot be written. */
  async open(): Promise<void> {
    if (this.#handle !== null && !(await this.#isInPlace(this.#handle))) await this.close();
    if (this.#handle === null) await this.#open();
  }

  /** Appends what is left of a chunk. Rejects when the disk refuses it; what was written until then is noted in the chunk. */
  async append(chunk: LineChunk): Promise<void> {
    const { bytes } = chunk;
    const handle = await this.#withRoomFor(bytes.length - chunk.written);
    if (chunk.into !== handle) restart(chunk);
    chunk.into = handle;
    while (chunk.written < bytes.length) {
      const { bytesWritten } = await handle.write(bytes, chunk.written);
      chunk.written += bytesWritten;
      this.#bytes += bytesWritten;
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  async #withRoomFor(bytes: number): Promise<FileHandle> {
    if (this.#handle !== null && this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) {
      await this.close();
      await rename(this.#path, `${this.#path}.1`);
    }
    return this.#handle ?? this.#open();
  }

  /** Whether the path still leads to the file that is open. */
  async #isInPlace(handle: FileHandle): Promise<boolean> {
    const [found, held] = await Promise.all([stat(this.#path).catch(missing), handle.stat()]);
    return found !== null && found.ino === held.ino && found.dev === held.dev;
  }

  async #open(): Promise<FileHandle> {
    makeFolder(dirname(this.#path), PRIVATE_FOLDER);
    const handle = await open(this.#path, APPENDING, OWNER_ONLY);
    try {
      this.#bytes = await begin(handle);
    } catch (cause) {
      await handle.close();
      throw cause;
    }
    this.#handle = handle;
    return handle;
  }
}

/** A chunk of which another file has a part starts anew, at its first line that is not there whole. */
function restart(chunk: LineChunk): void {
  chunk.written = chunk.written === 0 ? 0 : chunk.bytes.lastIndexOf(NEWLINE, chunk.written - 1) + 1;
}

/** Makes sure that the file may be appended to, and that the first line to come begins a line. Gives its size. */
async function begin(handle: FileHandle): Promise<number> {
  const found = await handle.stat();
  if (!found.isFile()) throw new Fault('CONFIG_INVALID', 'the decision log must be a regular file');
  if (found.size > 0 && !(await beginsAsLog(handle))) {
    throw new Fault('CONFIG_INVALID', 'the file is there and is no decision log; nothing was written to it');
  }
  if ((found.mode & 0o777) !== OWNER_ONLY) await handle.chmod(OWNER_ONLY);
  if (found.size === 0 || (await byteAt(handle, found.size - 1)) === NEWLINE) return found.size;
  // A process that was killed may have left half a line; it must not spoil the next one.
  await handle.write('\n');
  return found.size + 1;
}

async function beginsAsLog(handle: FileHandle): Promise<boolean> {
  const room = Buffer.alloc(decisionLogBegin.length);
  const { bytesRead } = await handle.read(room, 0, room.length, 0);
  return decisionLogBegin.startsWith(room.toString('latin1', 0, bytesRead));
}

async function byteAt(handle: FileHandle, position: number): Promise<number | undefined> {
  const room = Buffer.alloc(1);
  await handle.read(room, 0, 1, position);
  return room[0];
}

function missing(cause: unknown): null {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
  throw cause;
}
