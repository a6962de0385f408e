import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { encodeFrame, type Frame, frameTypes } from '../../src/server/spoe/frame.ts';
import { FrameSplitter } from '../../src/server/spoe/frame-splitter.ts';
import { PayloadReader } from '../../src/server/spoe/payload-reader.ts';
import { PayloadWriter } from '../../src/server/spoe/payload-writer.ts';
import type { KeyValues, TypedData } from '../../src/server/spoe/typed-data.ts';

/** Speaks to an agent as HAProxy does, and as it never would. */
export class SpopClient {
  readonly #socket: Socket;
  readonly #frames: Frame[] = [];
  readonly #splitter = new FrameSplitter(1024 * 1024);

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (chunk) => {
      this.#frames.push(...this.#splitter.push(chunk));
      this.#socket.emit('frames');
    });
    // A connection that the agent cuts ends in an error or not, as the moment has it; tests look at its end.
    this.#socket.on('error', () => this.#socket.destroy());
  }

  get isClosed(): boolean {
    return this.#socket.closed || this.#socket.readableEnded;
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  send(frame: Partial<Frame> & Pick<Frame, 'type'>): void {
    const whole = { fin: true, abort: false, streamId: 0, frameId: 0, payload: new Uint8Array(0), ...frame };
    this.sendBytes(encodeFrame(whole));
  }

  /** The next frame of the agent; null when it has closed the connection instead. */
  async receive(): Promise<Frame | null> {
    while (this.#frames.length === 0) {
      if (this.isClosed) return null;
      await Promise.race([once(this.#socket, 'frames'), once(this.#socket, 'close')]);
    }
    return this.#frames.shift() ?? null;
  }

  hello(fields: Readonly<Record<string, TypedData>> = {}): void {
    const pairs = new Map<string, TypedData>(Object.entries({ ...goodHello, ...fields }));
    for (const [name, { type }] of pairs) if (type === 'null') pairs.delete(name);
    this.send({ type: frameTypes.haproxyHello, payload: new PayloadWriter().keyValues(pairs).finish() });
  }

  notify(streamId: number, message: string, args: Readonly<Record<string, TypedData>>): void {
    const pairs = new Map(Object.entries(args));
    const payload = new PayloadWriter().string(message).byte(pairs.size).keyValues(pairs).finish();
    this.send({ type: frameTypes.notify, streamId, frameId: 1, payload });
  }

  close(): void {
    this.#socket.destroy();
  }
}

const goodHello: Readonly<Record<string, TypedData>> = {
  'supported-versions': { type: 'string', value: '2.0' },
  'max-frame-size': { type: 'uint32', value: 16_380 },
  capabilities: { type: 'string', value: 'pipelining,async' },
};

/** The fields of a HELLO or a DISCONNECT. */
export function fieldsOf(frame: Frame | null): Readonly<Record<string, unknown>> {
  return plain(new PayloadReader(frame?.payload ?? new Uint8Array(0)).keyValues());
}

/** The variables that an ACK sets. */
export function variablesIn(frame: Frame | null): Readonly<Record<string, unknown>> {
  const reader = new PayloadReader(frame?.payload ?? new Uint8Array(0));
  const variables = new Map<string, TypedData>();
  while (!reader.isAtEnd) {
    const [action, many, scope] = [reader.byte(), reader.byte(), reader.byte()];
    if (action !== 1 || many !== 3 || scope !== 2)
      throw new TypeError('That sets no variable of a transaction.');
    variables.set(reader.string(), reader.typedData());
  }
  return plain(variables);
}

const plain = (pairs: KeyValues) =>
  Object.fromEntries([...pairs].map(([name, data]) => [name, 'value' in data ? data.value : null]));
