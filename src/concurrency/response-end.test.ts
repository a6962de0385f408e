import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { Admitted, CallOutcome } from './admission.ts';
import { callerOf, releaseOnEnd, releaseWithBody } from './response-end.ts';
import { createCap } from './slot-cap.ts';

class Ending extends EventEmitter {
  writableFinished = false;
  destroyed = false;

  finish(): void {
    this.writableFinished = true;
    this.emit('finish');
  }

  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** A slot of a cap, and what it was given back with. */
function slot() {
  const cap = createCap({ limit: 1 });
  const admission = cap.tryAdmit();
  if (!admission.admitted) throw new TypeError('A new cap has a free slot.');
  const outcomes: (CallOutcome | undefined)[] = [];
  const admitted: Admitted = {
    ...admission,
    admitted: true,
    running: true,
    signal: admission.signal,
    release(outcome) {
      const isFirst = admission.release(outcome);
      if (isFirst) outcomes.push(outcome);
      return isFirst;
    },
  };
  return { cap, admitted, outcomes };
}

describe('releaseOnEnd', () => {
  it('gives the slot back once the response is handed over', () => {
    const { cap, admitted, outcomes } = slot();
    const response = new Ending();
    releaseOnEnd(response, admitted);
    expect(cap.status.running).toBe(1);
    response.finish();
    expect(cap.status.running).toBe(0);
    response.close();
    expect(outcomes).toEqual(['done']);
  });

  it.each([
    [499, 'done'],
    [500, 'errored'],
    [503, 'errored'],
  ])('gives it back for a response of status %d as %s', (statusCode, outcome) => {
    for (const isSent of [false, true]) {
      const { admitted, outcomes } = slot();
      const response = Object.assign(new Ending(), { statusCode });
      if (isSent) response.finish();
      releaseOnEnd(response, admitted);
      if (!isSent) response.finish();
      expect(outcomes).toEqual([outcome]);
    }
  });

  it('gives it back when the connection goes, and learns nothing from that', () => {
    const { cap, admitted, outcomes } = slot();
    const response = new Ending();
    releaseOnEnd(response, admitted);
    response.close();
    expect(cap.status.running).toBe(0);
    expect(outcomes).toEqual(['failed']);
  });

  it.each([
    ['finished', 'done'],
    ['destroyed', 'failed'],
  ] as const)('gives it back at once when the response is %s already', (state, outcome) => {
    const { admitted, outcomes } = slot();
    const response = new Ending();
    response.writableFinished = state === 'finished';
    response.destroyed = true;
    releaseOnEnd(response, admitted);
    expect(outcomes).toEqual([outcome]);
  });
});

describe('callerOf', () => {
  it('aborts when the connection goes before the answer', () => {
    const response = new Ending();
    const signal = callerOf(response);
    expect(signal.aborted).toBe(false);
    response.close();
    expect(signal.aborted).toBe(true);
  });

  it('does not abort after the answer', () => {
    const response = new Ending();
    const signal = callerOf(response);
    response.finish();
    response.close();
    expect(signal.aborted).toBe(false);
  });

  it('has aborted when the connection is gone already', () => {
    const response = new Ending();
    response.destroyed = true;
    expect(callerOf(response).aborted).toBe(true);
  });
});

describe('a response over HTTP/2', () => {
  /** How a slot came back, and whether its caller was told to be gone, when the client does this with its stream. */
  async function endOf(leave: 'resets' | 'reads' | 'left') {
    const { admitted, outcomes } = slot();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const asked: Promise<[unknown, Http2ServerResponse]> = once(server, 'request') as never;
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => {}).resume();
    const [, response] = await asked;
    const closed = once(response, 'close');
    if (leave === 'left') {
      stream.close();
      await closed;
    }
    const caller = callerOf(response);
    releaseOnEnd(response, admitted);
    response.write('some of it');
    if (leave === 'resets') stream.close();
    if (leave === 'reads') response.end();
    await closed;
    await new Promise((resolve) => session.close(() => server.close(resolve)));
    return { outcomes, gone: caller.aborted };
  }

  it('gives the slot back as done when all of it was sent', async () => {
    expect(await endOf('reads')).toEqual({ outcomes: ['done'], gone: false });
  });

  it('gives it back when all of it was sent, though the client goes on sending', async () => {
    const { cap, admitted, outcomes } = slot();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const asked: Promise<[Http2ServerRequest, Http2ServerResponse]> = once(server, 'request') as never;
    const stream = session.request({ ':path': '/', ':method': 'POST' }, { endStream: false });
    stream.on('error', () => {}).write('the beginning');
    const [request, response] = await asked;
    await once(request, 'data');
    releaseOnEnd(response, admitted);
    response.end('enough');
    await once(stream.resume(), 'end');
    await vi.waitFor(() => expect(cap.status.running).toBe(0));
    expect(outcomes).toEqual(['done']);
    session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('gives it back as failed when the client resets its stream, and aborts', async () => {
    expect(await endOf('resets')).toEqual({ outcomes: ['failed'], gone: true });
  });

  it('gives it back as failed when the client had left before anybody looked', async () => {
    expect(await endOf('left')).toEqual({ outcomes: ['failed'], gone: true });
  });
});

describe('releaseWithBody', () => {
  it('gives the slot back at once without a body', () => {
    const { admitted, outcomes } = slot();
    const response = new Response(null, { status: 204 });
    expect(releaseWithBody(response, admitted)).toBe(response);
    expect(outcomes).toEqual(['done']);
  });

  it('gives it back when the body has been read', async () => {
    const { cap, admitted, outcomes } = slot();
    const sent = new Response('hello', { status: 201, statusText: 'Made', headers: { 'x-a': 'b' } });
    const response = releaseWithBody(sent, admitted);
    expect(cap.status.running).toBe(1);
    expect([response.status, response.statusText, response.headers.get('x-a')]).toEqual([201, 'Made', 'b']);
    expect(await response.text()).toBe('hello');
    expect(outcomes).toEqual(['done']);
  });

  it.each([null, 'no room'])(
    'tells an error of the service by its status, with the body %j',
    async (body) => {
      const { admitted, outcomes } = slot();
      await releaseWithBody(new Response(body, { status: 503 }), admitted).text();
      expect(outcomes).toEqual(['errored']);
    },
  );

  it('gives it back when the reader goes away, and tells the source', async () => {
    const { admitted, outcomes } = slot();
    const reasons: unknown[] = [];
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: (reason) => {
        reasons.push(reason);
      },
    });
    const response = releaseWithBody(new Response(source), admitted);
    await response.body?.cancel('gone');
    expect(outcomes).toEqual(['failed']);
    expect(reasons).toEqual(['gone']);
  });

  it('gives it back when the body fails, and passes the failure on', async () => {
    const { admitted, outcomes } = slot();
    const failure = new TypeError('broken pipe');
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(failure),
    });
    const response = releaseWithBody(new Response(source), admitted);
    await expect(response.text()).rejects.toBe(failure);
    expect(outcomes).toEqual(['failed']);
  });
});
