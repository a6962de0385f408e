import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { createConnection, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDescriptorLimiter } from '../../src/limits/descriptors/descriptor-limiter.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { type GrpcParts, startGrpc } from '../../src/server/grpc/grpc-server.ts';
import { TokenBook } from '../../src/server/http/token-book.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';

const secret = 'grpc-secret-0123456789abcdef';
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

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
  onTestFinished(server.close);
  return server;
}

/** A connection that reads, says nothing by itself and never ends its half. */
function silent(port: number): Socket {
  const socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  // A connection that is cut ends in an error or not, as the moment has it; tests look at its end.
  socket.on('error', () => socket.destroy());
  onTestFinished(() => void socket.destroy());
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
  onTestFinished(() => session.destroy());
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
    onTestFinished(() => session.destroy());
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

describe('calls of strangers on the gRPC port', () => {
  const token = createHash('sha256').update('decide-token-0123').digest('hex');
  const tokens = new TokenBook([{ name: 'envoy', role: 'decide', sha256: token }]);
  const authorization = 'Bearer decide-token-0123';
  const check = '/envoy.service.auth.v3.Authorization/Check';
  const health = '/grpc.health.v1.Health/Check';

  /** A message that says how long it is, and as much of it as there is. */
  const framed = (length: number, sent: number) => {
    const bytes = Buffer.alloc(5 + sent);
    bytes.writeUInt32BE(length, 1);
    return bytes;
  };

  function session(port: number): ClientHttp2Session {
    const opened = connect(`http://127.0.0.1:${port}`, { maxSendHeaderBlockLength: 100_000 });
    // A connection that is cut may end in an error; tests look at its end.
    opened.on('error', () => opened.destroy());
    onTestFinished(() => opened.destroy());
    return opened;
  }

  const headersTo = (path: string) => ({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
  });

  function call(from: ClientHttp2Session, path: string, bytes: Buffer): ClientHttp2Stream {
    const stream = from.request(headersTo(path));
    stream.on('error', () => stream.destroy()).resume();
    stream.write(bytes);
    return stream;
  }

  const statusOf = async (stream: ClientHttp2Stream): Promise<string> => {
    const [headers] = await once(stream, 'response');
    return String(headers['grpc-status']);
  };

  it('are refused before their message is there', async () => {
    const { port } = await scene({ tokens });
    const from = session(port);
    const status = await statusOf(call(from, check, framed(1024 * 1024, 100)));
    expect(status).toBe('16');
  });

  it('are cut off when many wait for a message, those first that take longest', async () => {
    const { port } = await scene({ tokens });
    const slow = session(port);
    for (let waiting = 0; waiting < 64; waiting += 1) call(slow, health, framed(1_000, 100));
    const other = session(port);
    const whole = call(other, health, framed(0, 0)).end();
    const [[headers]] = await Promise.all([once(whole, 'response'), once(slow, 'close')]);
    expect(headers[':status']).toBe(200);
    expect(other.closed).toBe(false);
  });

  it('are answered, however many come one after the other', async () => {
    const { port } = await scene({ tokens });
    const from = session(port);
    for (let probe = 0; probe < 100; probe += 1) {
      const stream = call(from, health, framed(0, 0)).end();
      await once(stream, 'close');
    }
    expect(from.closed).toBe(false);
  });

  it('are no reason to keep a long message', async () => {
    const { port } = await scene({ tokens });
    const service = Buffer.concat([
      framed(2_003, 0),
      Buffer.from([0x0a, 0xd0, 0x0f]),
      Buffer.alloc(2_000, 97),
    ]);
    const from = session(port);
    for (const method of [health, '/grpc.health.v1.Health/Watch']) {
      const stream = call(from, method, service).end();
      expect(await statusOf(stream)).toBe('3');
    }
  });

  it('hear that too many watch, where they do', async () => {
    const { port } = await scene({ tokens });
    const watch = '/grpc.health.v1.Health/Watch';
    for (let opened = 0, from = session(port); opened < 256; opened += 1) {
      if (opened % 100 === 99) from = session(port);
      await once(call(from, watch, framed(0, 0)).end(), 'response');
    }
    expect(await statusOf(call(session(port), watch, framed(0, 0)).end())).toBe('8');
  });

  it.each([
    ['a method that needs a token', check],
    ['a method that there is not', `/${'x'.repeat(8_000)}`],
  ])('leave nothing behind once %s has refused them, though they never end', async (_, path) => {
    const { port } = await scene({ tokens });
    const from = session(port);
    const refused = Array.from({ length: 250 }, () => call(from, path, framed(1_000, 100)));
    // More than there may be at once: each has to be over before the last ones begin.
    await Promise.all(refused.map((stream) => once(stream, 'close')));
    expect(from.closed).toBe(false);
  });

  it('are cut off when many do not take their answers', async () => {
    const { port } = await scene({ tokens });
    const shut = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
    shut.on('error', () => shut.destroy());
    onTestFinished(() => shut.destroy());
    for (let waiting = 0; waiting < 64; waiting += 1) {
      await once(call(shut, health, framed(0, 0)).end(), 'response');
    }
    const other = session(port);
    const [[headers]] = await Promise.all([
      once(call(other, health, framed(0, 0)).end(), 'response'),
      once(shut, 'close'),
    ]);
    expect(headers[':status']).toBe(200);
    expect(other.closed).toBe(false);
  });

  it('with long headers end their connection where it has not confirmed the bound, and else themselves', async () => {
    const { port } = await scene({ tokens });
    const long = { ...headersTo(check), x: 'y'.repeat(70_000) };
    const hasty = session(port);
    hasty
      .request(long)
      .on('error', () => {})
      .resume();
    await once(hasty, 'close');
    const patient = session(port);
    await once(call(patient, health, framed(0, 0)).end(), 'close');
    await expect(once(patient.request(long).resume(), 'close')).rejects.toThrow('ENHANCE_YOUR_CALM');
    expect(patient.closed).toBe(false);
  });

  it('cost their connection when hundreds of them are turned away, after an answer to each', async () => {
    const { port } = await scene({ tokens });
    const from = session(port);
    const ended = once(from, 'close');
    const heard: string[] = [];
    while (heard.length < 256) heard.push(await statusOf(call(from, check, framed(0, 0)).end()));
    expect(new Set(heard)).toEqual(new Set(['16']));
    call(from, check, framed(0, 0)).end();
    await ended;
  });

  it('make room for those who have a token, where connections get scarce', async () => {
    const { port } = await scene({ tokens, connections: 10 });
    const known = session(port);
    const stream = known.request({ ...headersTo(check), authorization });
    await once(stream.end(framed(0, 0)).resume(), 'close');
    for (let connected = 0; connected < 30; connected += 1) expect(await isLetIn(silent(port))).toBe(true);
    expect(known.closed).toBe(false);
  });

  it('are told from those of Envoy, which hands on what visitors write into tracestate', async () => {
    const { port } = await scene({ tokens });
    const envoy = session(port);
    const tracestate = 'y'.repeat(60_000);
    // Before it has confirmed the bound, and after.
    for (const turn of ['first', 'second']) {
      const stream = envoy.request({ ...headersTo(check), authorization, tracestate }).end(framed(0, 0));
      stream.on('error', () => stream.destroy()).resume();
      expect(await statusOf(stream), turn).toBe('3');
    }
  });
});
