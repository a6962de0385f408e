import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { attempt, endpointAt } from '../../test/integration/svc-client/attempts.ts';
import { startLoopback, unusedUrl } from '../../test/integration/svc-client/loopback.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { systemClock } from './clock.ts';
import { undiciTransport } from './undici-transport.ts';

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536);
}

describe('an endpoint over undici', () => {
  it('closes when nothing is under way, also while a connection is being made that nobody awaits', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => silent.close(() => resolve())));
    const { port } = silent.address() as AddressInfo;
    const endpoint = undiciTransport(systemClock).open(`https://127.0.0.1:${port}`, 1);
    const connecting = once(silent, 'connection');
    const leaving = new AbortController();
    const sending = endpoint.send(attempt({ signal: leaving.signal }));
    const [socket] = (await connecting) as [Socket];
    leaving.abort();
    expect(await sending).toMatchObject({ kind: 'aborted' });

    // undici gives a connection ten seconds to come about.
    const startedAt = systemClock.now();
    await endpoint.close();
    expect(systemClock.now() - startedAt).toBeLessThan(5_000);
    socket.destroy();
  });

  it('closes when the body of what is under way has ended', async () => {
    const target = await startLoopback((_, response) => {
      response.write('a');
      setTimeout(() => response.end('b'), 50);
    });
    onTestFinished(target.close);
    const endpoint = undiciTransport(systemClock).open(target.url, 1);
    const outcome = await endpoint.send(attempt());
    const closing = endpoint.close();
    expect(await endpoint.send(attempt())).toMatchObject({ kind: 'unreachable', sent: false });
    if (outcome.kind !== 'response') throw new TypeError(outcome.kind);
    expect(await outcome.response.body.text()).toBe('ab');
    await closing;
  });
});

describe('an attempt over undici', () => {
  it('is certain not to have been sent when no connection came about', async () => {
    const outcome = await endpointAt(await unusedUrl()).send(attempt());
    expect(outcome).toMatchObject({ kind: 'unreachable', sent: false, cause: { code: 'ECONNREFUSED' } });
  });

  it('is certain not to have been sent over an endpoint that is closed', async () => {
    const endpoint = undiciTransport(systemClock).open(await unusedUrl(), 1);
    await endpoint.close();
    expect(await endpoint.send(attempt())).toMatchObject({ kind: 'unreachable', sent: false });
  });

  it('may have been sent when the connection broke', async () => {
    const { url, close } = await startLoopback((request) => request.socket.destroy());
    onTestFinished(close);
    expect(await endpointAt(url).send(attempt())).toMatchObject({ kind: 'unreachable', sent: true });
  });

  it('may have been sent when the way to the host was lost after the connection had come about', async () => {
    const { url, server, close } = await startLoopback(() => undefined);
    onTestFinished(close);
    const connected = new Promise<Socket>((resolve) => {
      const note = (message: unknown) => resolve((message as { readonly socket: Socket }).socket);
      diagnostics.subscribe('undici:client:connected', note);
      onTestFinished(() => void diagnostics.unsubscribe('undici:client:connected', note));
    });
    const sending = endpointAt(url).send(attempt());
    await once(server, 'request');
    const lost = Object.assign(new Error('read EHOSTUNREACH'), { code: 'EHOSTUNREACH', syscall: 'read' });
    (await connected).destroy(lost);
    expect(await sending).toMatchObject({ kind: 'unreachable', sent: true, cause: lost });
  });

  it.each([{ headers: { 'x-bad': 'a\nb' } }, { method: 'GET IT' }, { path: '/a b' }])(
    'is misused by %j, which is a value too',
    async (changes) => {
      const outcome = await endpointAt(await unusedUrl()).send(attempt(changes));
      expect(outcome).toMatchObject({ kind: 'misused', error: { code: 'INPUT_INVALID' } });
    },
  );

  it('gives the headers by name in lower case, those that came twice as a list', async () => {
    const { url, close } = await startLoopback((_, response) => {
      response.writeHead(200, ['X-One', 'a', 'x-two', 'b', 'X-Two', 'c', '__proto__', 'd']).end();
    });
    onTestFinished(close);
    const outcome = await endpointAt(url).send(attempt());
    if (outcome.kind !== 'response') throw new TypeError(outcome.kind);
    const { headers, body } = outcome.response;
    await body.dump();
    expect(headers).toMatchObject({ 'x-one': 'a', 'x-two': ['b', 'c'] });
    expect(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value).toBe('d');
    expect(outcome.response.headers).toBe(headers);
  });

  it('costs no connection when it was given up while it waited for one', async () => {
    const target = await startLoopback((request, response) => {
      if (request.url !== '/slow') response.end();
    });
    onTestFinished(target.close);
    let connections = 0;
    target.server.on('connection', () => {
      connections += 1;
    });
    const endpoint = undiciTransport(systemClock).open(target.url, 1);
    onTestFinished(() => endpoint.close());
    const leaving = new AbortController();
    const slow = endpoint.send(attempt({ path: '/slow', timeoutMs: 1_000 }));
    const waiting = [1, 2, 3].map(() => endpoint.send(attempt({ signal: leaving.signal })));
    leaving.abort();
    const given = await Promise.all([slow, ...waiting]);
    expect(given.map(({ kind }) => kind)).toEqual(['timeout', 'aborted', 'aborted', 'aborted']);
    const outcome = await endpoint.send(attempt());
    if (outcome.kind === 'response') await outcome.response.body.dump();
    // One for the slow request, which its timeout has ended, and one for the last.
    expect({ connections, requests: target.requests.length }).toEqual({ connections: 2, requests: 2 });
  });

  it.each([
    [['X-Portcullis-Receipt', 'one'], 'one'],
    [['x-portcullis-receipt', 'one', 'x-portcullis-receipt', 'two'], 'one'],
    // As long as the name that is looked for.
    [['x-portcullis-pontif!', 'one'], null],
    [[], null],
  ])('finds the receipt in %j', async (headers, receipt) => {
    const { url, close } = await startLoopback((_, response) => response.writeHead(200, headers).end());
    onTestFinished(close);
    const outcome = await endpointAt(url).send(attempt());
    if (outcome.kind === 'response') await outcome.response.body.dump();
    expect(outcome).toMatchObject({ kind: 'response', receipt });
  });

  it('takes no CONNECT: there is no answer to it that a call could give', async () => {
    const outcome = await endpointAt(await unusedUrl()).send(attempt({ method: 'CONNECT' }));
    expect(outcome).toMatchObject({ kind: 'misused', error: { code: 'INPUT_INVALID' } });
  });

  it('says nothing of the target when the visitor whose upload it passes on hangs up', async () => {
    const target = await startLoopback((request) => request.resume());
    onTestFinished(target.close);
    const gate = await startLoopback(() => undefined);
    onTestFinished(gate.close);
    const endpoint = endpointAt(target.url);

    const visitor = openRequest(gate.url, { method: 'POST', headers: { 'content-length': 100 } });
    visitor.on('error', () => undefined);
    visitor.write('ten bytes.');
    const [upload] = (await once(gate.server, 'request')) as [IncomingMessage];
    const sending = endpoint.send(attempt({ method: 'POST', body: upload }));
    await once(target.server, 'request');
    visitor.destroy();

    expect(await sending).toMatchObject({ kind: 'misused', error: { code: 'ECONNRESET' } });
  });

  it('says nothing of the target when the stream that it sends is closed before its end', async () => {
    const target = await startLoopback((request) => request.resume());
    onTestFinished(target.close);
    const upload = new PassThrough();
    upload.write('ten bytes.');
    const sending = endpointAt(target.url).send(attempt({ method: 'POST', body: upload }));
    await once(target.server, 'request');
    upload.destroy();

    expect(await sending).toMatchObject({ kind: 'misused' });
  });

  it('waits for the stream that it sends, and not for the target, when that has not come whole', async () => {
    const target = await startLoopback((request) => request.resume());
    onTestFinished(target.close);
    const upload = new PassThrough();
    upload.write('ten bytes.');
    const outcome = await endpointAt(target.url).send(
      attempt({ method: 'POST', body: upload, timeoutMs: 1_000 }),
    );

    expect(outcome).toEqual({ kind: 'timeout', isUploading: true });
  });

  it.each([
    ['has come whole', () => Readable.from(['ten bytes.'])],
    ['comes faster than the target takes it', () => Readable.from(endless())],
  ])('waits for the target when its stream %s', async (_, open) => {
    const target = await startLoopback(() => undefined);
    onTestFinished(target.close);
    const outcome = await endpointAt(target.url).send(
      attempt({ method: 'POST', body: open(), timeoutMs: 1_000 }),
    );

    expect(outcome).toEqual({ kind: 'timeout' });
  });

  it('waits for neither its stream nor the target when all connections are in use', async () => {
    const target = await startLoopback(() => undefined);
    onTestFinished(target.close);
    const endpoint = endpointAt(target.url);
    const others = [1, 2, 3, 4].map(() => endpoint.send(attempt({ timeoutMs: 1_000 })));
    const upload = new PassThrough();
    upload.write('ten bytes.');
    const outcome = await endpoint.send(attempt({ method: 'POST', body: upload, timeoutMs: 500 }));

    expect(outcome).toEqual({ kind: 'timeout', sent: false, isCrowded: true });
    expect(upload.destroyed).toBe(true);
    expect(await Promise.all(others)).toEqual(others.map(() => ({ kind: 'timeout' })));
  });

  it('has waited for a connection also where those that hold it give up at the same moment', async () => {
    const target = await startLoopback(() => undefined);
    onTestFinished(target.close);
    const clock = new VirtualClock();
    const endpoint = undiciTransport(clock).open(target.url, 1);
    onTestFinished(() => endpoint.close());
    const asked = once(target.server, 'request');
    const sending = [1, 2].map(() => endpoint.send(attempt({ startedAt: clock.now() })));
    await asked;
    await clock.advance(5_000);
    expect(await Promise.all(sending)).toEqual([
      { kind: 'timeout' },
      { kind: 'timeout', sent: false, isCrowded: true },
    ]);
  });

  it('waits for the target when no connection comes about, and is certain not to have been sent', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise((resolve) => silent.close(() => resolve())));
    const { port } = silent.address() as AddressInfo;
    const clock = new VirtualClock();
    const endpoint = undiciTransport(clock).open(`https://127.0.0.1:${port}`, 1);
    onTestFinished(() => endpoint.close());
    const connecting = once(silent, 'connection');
    const sending = [1, 2].map(() => endpoint.send(attempt({ startedAt: clock.now() })));
    const [socket] = (await connecting) as [Socket];
    await clock.advance(5_000);
    expect(await Promise.all(sending)).toEqual([1, 2].map(() => ({ kind: 'timeout', sent: false })));
    socket.destroy();
  });

  it('may have been sent when the target broke the connection before the stream ended', async () => {
    const target = await startLoopback((request) => request.socket.destroy());
    onTestFinished(target.close);
    const upload = new PassThrough();
    upload.write('ten bytes.');
    const outcome = await endpointAt(target.url).send(attempt({ method: 'POST', body: upload }));

    expect(outcome).toMatchObject({ kind: 'unreachable', sent: true });
  });

  it('is certain not to have been sent when its stream waited for a connection in vain', async () => {
    const upload = new PassThrough();
    upload.write('ten bytes.');
    const outcome = await endpointAt(await unusedUrl()).send(attempt({ method: 'POST', body: upload }));

    expect(outcome).toMatchObject({ kind: 'unreachable', sent: false });
  });
});
