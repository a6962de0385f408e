import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { createConnection, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createDescriptorLimiter } from '../../src/limits/descriptors/descriptor-limiter.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { type GrpcParts, startGrpc } from '../../src/server/grpc/grpc-server.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';

const secret = 'grpc-secret-0123456789abcdef';
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function scene(parts: Partial<GrpcParts> = {}) {
  const store = createMemoryStore();
  const server = await startGrpc({
    host: '127.0.0.1',
    port: 0,
    limiter: createLimiter({ store, secret }),
    descriptors: createDescriptorLimiter({ store, secret, domains: [] }),
    drainMs: 1_000,
    ...parts,
  });
  open.push(server.close);
  return server;
}

/** A connection that reads, says nothing by itself and never ends its half. */
function silent(port: number): Socket {
  const socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  // A connection that is cut ends in an error or not, as the moment has it; tests look at its end.
  socket.on('error', () => socket.destroy());
  open.push(() => void socket.destroy());
  return socket;
}

/** Whether it was let in: HTTP/2 servers greet first. */
function isLetIn(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true));
    for (const end of ['end', 'close']) socket.once(end, () => resolve(false));
  });
}

/** Resolves once the server has ended its half, or all of it. */
function isLeft(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ['end', 'close']) socket.once(end, () => resolve());
  });
}

async function usedSession(port: number): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`);
  open.push(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': '/nope', 'content-type': 'text/plain' });
  await once(stream.resume(), 'close');
  return session;
}

/** A slot is free as soon as the server has noticed; tries until it has. */
async function untilLetIn(port: number): Promise<void> {
  while (!(await isLetIn(silent(port)))) await new Promise((next) => setTimeout(next, 20));
}

describe('connections of the gRPC port', () => {
  it('are no more than they may be', async () => {
    const { port } = await scene({ connections: 1 });
    const first = silent(port);
    expect(await isLetIn(first)).toBe(true);
    expect(await isLetIn(silent(port))).toBe(false);
    first.destroy();
    await untilLetIn(port);
  });

  it('are closed when they send nothing, and kept when they have', async () => {
    const { port } = await scene({ silentMs: 300 });
    const used = await usedSession(port);
    await isLeft(silent(port));
    expect(used.closed).toBe(false);
  });

  it('are closed when no call comes for long', async () => {
    const { port } = await scene({ idleMs: 50 });
    const session = connect(`http://127.0.0.1:${port}`);
    open.push(() => session.destroy());
    await once(session, 'close');
  });

  it('give their slot free also when the peer never ends its half', async () => {
    const { port } = await scene({ connections: 1, idleMs: 50 });
    const rude = silent(port);
    rude.write(preface);
    expect(await isLetIn(rude)).toBe(true);
    await untilLetIn(port);
  });

  it('do not hold the end of the service, whatever they do', async () => {
    const server = await scene({ drainMs: 50 });
    for (const said of ['', preface, 'nonsense']) {
      const socket = silent(server.port);
      socket.write(said);
      await isLetIn(socket);
    }
    await server.close();
  });
});
