import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serveAgent } from './agent-connection.ts';
import type { Decide } from './agent-session.ts';
import { encodeFrame, type Frame, frameTypes } from './frame.ts';
import { PayloadWriter } from './payload-writer.ts';
import { count, text } from './typed-data.ts';

/** The connection of a peer that takes bytes only when it is told to. */
class SlowPeer extends Duplex {
  #take: (() => void) | null = null;
  #takesAll = false;

  override _read(): void {}
  override _write(_: Buffer, __: BufferEncoding, done: () => void): void {
    if (this.#takesAll) done();
    else this.#take = done;
  }

  takeAll(): void {
    this.#takesAll = true;
    this.#take?.();
  }

  send(frame: Pick<Frame, 'type'> & Partial<Frame>): void {
    const whole = { fin: true, abort: false, streamId: 0, frameId: 0, payload: new Uint8Array(0), ...frame };
    this.push(encodeFrame(whole));
  }

  hello(): void {
    const fields = new Map([
      ['supported-versions', text('2.0')],
      ['max-frame-size', count(16_380)],
      ['capabilities', text('pipelining')],
    ]);
    this.send({ type: frameTypes.haproxyHello, payload: new PayloadWriter().keyValues(fields).finish() });
  }
}

const patience = { helloMs: 60_000, farewellMs: 60_000 };

/** Asks so often, each in a chunk of its own that is read when there is room. */
async function asked(times: number, decide: Decide) {
  const peer = new SlowPeer();
  const session = serveAgent(peer, decide, patience);
  peer.hello();
  for (let streamId = 1; streamId <= times; streamId += 1) {
    peer.send({ type: frameTypes.notify, streamId, frameId: 1 });
    await turn();
  }
  return { peer, session };
}

describe('a connection of HAProxy', () => {
  it('is not read while its answers are not taken', async () => {
    let decided = 0;
    const answerBytes = 4_000;
    const { peer } = await asked(100, async () => {
      decided += 1;
      return new Uint8Array(answerBytes);
    });
    // What Node buffers, and the one answer that filled it.
    expect(decided).toBeLessThanOrEqual(peer.writableHighWaterMark / answerBytes + 1);
    peer.takeAll();
    while (decided < 100) await turn();
    peer.destroy();
  });

  it('is not read while too many decisions are under way, and goes on with the first that is made', async () => {
    const waiting: ((actions: Uint8Array) => void)[] = [];
    const { peer, session } = await asked(1_010, () => new Promise((decided) => waiting.push(decided)));
    expect(session.inFlight).toBe(1_000);
    peer.takeAll();
    waiting[0]?.(new Uint8Array(0));
    while (waiting.length < 1_001) await turn();
    expect(session.inFlight).toBe(1_000);
    peer.destroy();
  });

  it.each(['takes nothing', 'keeps its half open'])(
    'ends after a goodbye though the peer %s',
    async (how) => {
      const peer = new SlowPeer();
      if (how === 'keeps its half open') peer.takeAll();
      serveAgent(peer, async () => new Uint8Array(0), { helloMs: 1, farewellMs: 1 });
      await once(peer, 'close');
      expect(peer.writableEnded).toBe(true);
    },
  );
});
