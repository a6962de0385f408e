import { decodeMessages, encodeFrame, type Frame, frameTypes, type Message } from './frame.ts';
import { FrameSplitter } from './frame-splitter.ts';
import { agentHello, mostFrameBytes, readHello } from './handshake.ts';
import { PayloadWriter } from './payload-writer.ts';
import { type SpopStatus, SpopViolation, spopStatus, wordsOf } from './spop-status.ts';
import { count, text } from './typed-data.ts';

/** What a session does to its connection. */
export interface SessionPort {
  send(bytes: Buffer): void;
  /** Told whenever a stream waits no longer: there may be room for more. */
  answered(): void;
  /** Ends the connection after what was sent. */
  end(): void;
}

/** Decides on the messages of a stream; gives the payload of the ACK, of at most `frameBytes`. Never rejects. */
export type Decide = (messages: readonly Message[], frameBytes: number) => Promise<Uint8Array>;

/** A frame's type, flags and two ids take at most this much beside its payload. */
const frameHeadBytes = 5 + 2 * 10;

/**
 * One connection of HAProxy: the handshake, then NOTIFY frames answered in whatever order decisions are made. Whatever a
 * peer does against the protocol ends its connection with a DISCONNECT that says why.
 */
export class AgentSession {
  readonly #port: SessionPort;
  readonly #decide: Decide;
  readonly #splitter = new FrameSplitter(mostFrameBytes);
  #state: 'hello' | 'ready' | 'closed' = 'hello';
  #frameBytes = 0;
  #inFlight = 0;

  constructor(port: SessionPort, decide: Decide) {
    this.#port = port;
    this.#decide = decide;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Streams that wait for their answer. */
  get inFlight(): number {
    return this.#inFlight;
  }

  receive(chunk: Uint8Array): void {
    if (this.#state === 'closed') return;
    try {
      for (const frame of this.#splitter.push(chunk)) {
        this.#take(frame);
        if (this.#isClosed()) return;
      }
    } catch (error) {
      if (!(error instanceof SpopViolation)) throw error;
      this.disconnect(error.status);
    }
  }

  /** Says goodbye and ends the connection. */
  disconnect(status: SpopStatus): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    const payload = new PayloadWriter()
      .keyValues(
        new Map([
          ['status-code', count(spopStatus[status])],
          ['message', text(wordsOf(status))],
        ]),
      )
      .finish();
    this.#send(frameTypes.agentDisconnect, 0, 0, payload);
    this.#port.end();
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #take(frame: Frame): void {
    if (!frame.fin || frame.type === frameTypes.unset) throw new SpopViolation('fragmentation');
    if (frame.type === frameTypes.haproxyDisconnect) this.disconnect('normal');
    else if (this.#state === 'hello') this.#greet(frame);
    else if (frame.type === frameTypes.notify) this.#answer(frame);
    // Unknown frames may be skipped; a second greeting may not.
    else if (frame.type === frameTypes.haproxyHello) throw new SpopViolation('invalid');
  }

  #greet({ type, payload }: Frame): void {
    if (type !== frameTypes.haproxyHello) throw new SpopViolation('invalid');
    const agreement = readHello(payload);
    this.#frameBytes = agreement.frameBytes;
    this.#splitter.bound(agreement.frameBytes);
    this.#state = agreement.isHealthCheck ? 'closed' : 'ready';
    this.#send(frameTypes.agentHello, 0, 0, agentHello(agreement));
    if (agreement.isHealthCheck) this.#port.end();
  }

  #answer({ streamId, frameId, payload }: Frame): void {
    const messages = decodeMessages(payload);
    this.#inFlight += 1;
    void this.#decide(messages, this.#frameBytes - frameHeadBytes).then((actions) => {
      this.#inFlight -= 1;
      if (this.#state === 'ready') this.#send(frameTypes.ack, streamId, frameId, actions);
      this.#port.answered();
    });
  }

  #send(type: number, streamId: number, frameId: number, payload: Uint8Array): void {
    this.#port.send(encodeFrame({ type, fin: true, abort: false, streamId, frameId, payload }));
  }
}
