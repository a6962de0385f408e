import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { GatheredBytes } from '../../connections/gathered-bytes.ts';
import type { LoginBody } from '../login-form.ts';

/** The largest login that is read, in bytes. */
export const mostLoginBytes = 1024 * 1024;

/** Whether a request says so of itself, before anything of its body is read. */
export function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > mostLoginBytes;
}

/** How reading a body ended. `gone`: the client went away, and nobody waits for an answer. */
export type BodyReading = Buffer | 'too-large' | 'busy' | 'gone';

/** What a login by people fits into, in bytes: a form with its flow, its token and its identifier has less than a tenth. */
export const usualLoginBytes = 16 * 1024;

/** As much as bodies may hold together. */
class Room {
  readonly #mostBytes: number;
  #heldBytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get isOver(): boolean {
    return this.#heldBytes > this.#mostBytes;
  }

  change(bytes: number): void {
    this.#heldBytes += bytes;
  }
}

/**
 * Reads bodies, none of more than {@link mostLoginBytes} and all together within a bound, so that many large logins at once
 * cannot fill the memory. What every body has first, as much as people need, has a room of its own: whoever sends large
 * ones slowly fills the other. Where that room is full too, those that have been on their way for longest make room:
 * a login of people is there at once.
 */
export class LoginBodies {
  readonly #usual: Room;
  readonly #excess: Room;
  /** Those that are not whole yet, by how to give them up, oldest first. */
  readonly #unfinished = new Set<() => void>();

  /** @param mostBytes of all logins that are being read or waiting for their answer, half of it for what people need */
  constructor(mostBytes = 64 * mostLoginBytes) {
    this.#usual = new Room(mostBytes / 2);
    this.#excess = new Room(mostBytes / 2);
  }

  /** What was read is held until it is released. */
  read(request: IncomingMessage): Promise<BodyReading> {
    if (isTooLarge(request)) return Promise.resolve('too-large');
    return new Promise((resolve) => {
      const bytes = new GatheredBytes();
      const giveUp = () => end('busy');
      const end = (reading: BodyReading) => {
        this.#unfinished.delete(giveUp);
        request.off('data', take).off('end', finish).off('close', leave).off('error', leave);
        if (typeof reading === 'string') this.#resize(bytes.length, 0);
        resolve(reading);
      };
      const take = (chunk: Buffer) => {
        this.#resize(bytes.length, bytes.length + chunk.length);
        bytes.add(chunk);
        if (bytes.length > mostLoginBytes || bytes.isInCrumbs) end('too-large');
        else if (bytes.length > usualLoginBytes && this.#excess.isOver) end('busy');
        else this.#makeRoom();
      };
      const finish = () => end(bytes.whole());
      const leave = () => end('gone');
      this.#unfinished.add(giveUp);
      request.on('data', take).on('end', finish).on('close', leave).on('error', leave);
    });
  }

  release(body: Buffer): void {
    this.#resize(body.length, 0);
  }

  /** Of one body. */
  #resize(from: number, to: number): void {
    const [usualFrom, usualTo] = [Math.min(from, usualLoginBytes), Math.min(to, usualLoginBytes)];
    this.#usual.change(usualTo - usualFrom);
    this.#excess.change(to - usualTo - (from - usualFrom));
  }

  /** What is whole stays: it waits for Kratos. So the last to be given up is the one that has just grown. */
  #makeRoom(): void {
    for (const giveUp of this.#unfinished) {
      if (!this.#usual.isOver) return;
      giveUp();
    }
  }
}

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip) as Decoder,
  'x-gzip': promisify(gunzip) as Decoder,
  br: promisify(brotliDecompress) as Decoder,
  deflate: async (bytes, options) => {
    const isZlib = ((bytes[0] ?? 0) & 0xf) === 8;
    return (promisify(isZlib ? inflate : inflateRaw) as Decoder)(bytes, options);
  },
};

const mostEncodings = 2;

/**
 * A body, and where it has a `Content-Encoding` what is inside. Kratos undoes none, but what stands between might; so it
 * is looked at in every way in which it may be seen. `unknown`: an encoding that cannot be undone here.
 */
export async function unpacked(
  body: Buffer,
  encoding: string | undefined,
): Promise<LoginBody | 'unknown' | 'too-large'> {
  const names = (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > mostEncodings || names.some((name) => !Object.hasOwn(decoders, name))) return 'unknown';
  if (names.length === 0) return { readings: [body], isPacked: false };
  let bytes = body;
  try {
    for (const name of names.reverse()) {
      bytes = (await decoders[name]?.(bytes, { maxOutputLength: mostLoginBytes })) ?? bytes;
    }
  } catch (error) {
    // Not what it says it is: whoever cannot unpack it reads it as it came, or not at all.
    return error instanceof RangeError ? 'too-large' : { readings: [body], isPacked: true };
  }
  return { readings: [body, bytes], isPacked: true };
}
