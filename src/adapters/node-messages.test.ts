import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { type AddressInfo, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { onceEnded, visitOf } from './node-messages.ts';

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

describe('a visit', () => {
  it('has ended when the connection was gone before anybody watched', async () => {
    const response = newResponse();
    response.destroy();
    const { caller, ended } = visitOf(response);
    expect(caller.aborted).toBe(true);
    expect(await ended).toBe('failed');
  });

  it('fails when the connection goes before the answer', async () => {
    const response = newResponse();
    const { caller, ended } = visitOf(response);
    expect(caller.aborted).toBe(false);
    response.emit('close');
    expect(await ended).toBe('failed');
    expect(caller.aborted).toBe(true);
  });

  it('is done when the answer was sent, and nobody has left', async () => {
    const response = newResponse();
    const { caller, ended } = visitOf(response);
    response.emit('finish');
    response.emit('close');
    expect(await ended).toBe('done');
    expect(caller.aborted).toBe(false);
  });
});

describe('an answer of the status 5xx', () => {
  it('is an error of the service when it was sent, and a client that left when it was not', async () => {
    const [sent, unsent] = [newResponse(), newResponse()];
    const visits = [visitOf(sent), visitOf(unsent)];
    sent.statusCode = 500;
    unsent.statusCode = 500;
    sent.emit('finish');
    unsent.emit('close');
    expect(await Promise.all(visits.map(({ ended }) => ended))).toEqual(['errored', 'failed']);
  });
});

describe('the end of an answer over HTTP/2', () => {
  /** A call whose body has begun and does not end, and what was told of its end. */
  async function unfinishedCall() {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    // So small a window that an answer does not fit: the client decides when it is sent.
    const settings = { initialWindowSize: 10 };
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { settings });
    const asked = once(server, 'request') as Promise<[Http2ServerRequest, Http2ServerResponse]>;
    const stream = session.request({ ':path': '/', ':method': 'POST' }, { endStream: false });
    stream.on('error', () => {}).write('the beginning');
    const [request, response] = await asked;
    await once(request, 'data');
    const told: unknown[] = [];
    const ended = new Promise<void>((resolve) => {
      onceEnded(response, (...end) => {
        told.push(end);
        resolve();
      });
    });
    response.statusCode = 404;
    const close = () => new Promise((resolve) => server.close(resolve) && session.destroy());
    return { stream, response, told, ended, close };
  }

  it('is told when all of it was sent, though the client goes on sending', async () => {
    const { stream, response, told, ended, close } = await unfinishedCall();
    stream.resume();
    response.end('no such thing as that');
    await ended;
    expect(stream.writableEnded).toBe(false);
    await close();
    expect(told).toEqual([[{ status: 404, isWhole: true }]]);
  });

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('is told of %s %i, which has nothing to send', async (method, status) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const ended = new Promise((resolve) => {
      server.on('request', (_, response) => {
        onceEnded(response, resolve);
        response.statusCode = status;
        response.end();
      });
    });
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    session.request({ ':path': '/', ':method': method }).resume();
    expect(await ended).toEqual({ status, isWhole: true });
    await new Promise((resolve) => session.close(() => server.close(resolve)));
  });

  it('has its status, but is not whole, when the client leaves after the headers', async () => {
    const { stream, response, told, ended, close } = await unfinishedCall();
    const answered = once(stream, 'response');
    response.end('no such thing as that');
    await answered;
    stream.close();
    await ended;
    await close();
    expect(told).toEqual([[{ status: 404, isWhole: false }]]);
  });
});
