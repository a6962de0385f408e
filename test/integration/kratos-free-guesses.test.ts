import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/guard/failure/clock.ts';
import { createGuard } from '../../src/index.ts';
import { createLoginBackoff } from '../../src/kratos/counter-backoff.ts';
import type { LoginBackoff } from '../../src/kratos/login-backoff.ts';
import { MatrixBackoff } from '../../src/kratos/matrix-backoff.ts';
import { createKratosProxy } from '../../src/kratos/proxy/kratos-proxy.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createFaultyStore } from '../../src/testing/faulty-store.ts';
import { until } from '../servers/redis-server.ts';

const secret = 'a secret of sixteen bytes or more';
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const twice = () => createLoginBackoff({ store: createMemoryStore(), secret, maxIdentifierAttempts: 2 });

/** A proxy before something that gets a login and does with its connection what it is told. */
async function open(backoff: LoginBackoff, meet: (socket: Socket) => void, timeoutMs = 5_000) {
  let submitted = 0;
  const kratos = createServer((socket) => {
    ends.push(() => socket.destroy());
    socket
      .on('error', () => {})
      .on('data', () => {
        submitted += 1;
        meet(socket);
      });
  }).listen(0, '127.0.0.1');
  await once(kratos, 'listening');
  const { port } = kratos.address() as AddressInfo;
  const faults: unknown[] = [];
  const proxy = createKratosProxy({
    upstream: { url: `http://127.0.0.1:${port}`, timeoutMs },
    backoff,
    onFault: (error) => faults.push(error),
  });
  proxy.server.listen(0, '127.0.0.1');
  await once(proxy.server, 'listening');
  ends.push(
    () => kratos.close(),
    () => proxy.close(200),
    () => backoff.close(),
  );
  const login = () => {
    const body = JSON.stringify({ method: 'password', identifier: 'alice@example.com', password: 'a guess' });
    const said = { socket: connect((proxy.server.address() as AddressInfo).port, '127.0.0.1'), heard: '' };
    said.socket
      .on('error', () => {})
      .on('data', (chunk) => {
        said.heard += chunk.toString('latin1');
      });
    said.socket.write(
      `POST /self-service/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    ends.push(() => said.socket.destroy());
    return said;
  };
  /** What the client has heard when its connection ends. */
  const statusOf = async () => {
    const said = login();
    if (!said.socket.closed) await once(said.socket, 'close');
    return Number(/^HTTP\/1\.1 (\d+)/.exec(said.heard)?.[1]);
  };
  return { login, statusOf, faults, submitted: () => submitted };
}

describe('a guess that Kratos got is counted', () => {
  it('where it does not answer in time', async () => {
    const { statusOf } = await open(twice(), () => {}, 200);
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([504, 504, 429]);
  });

  it.each([
    ['is no HTTP', 'SSH-2.0-x\r\n'],
    ['has a length that is none', 'HTTP/1.1 400 Bad Request\r\nContent-Length: x\r\n\r\n'],
    ['has a status that is none', 'HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n'],
    ['has headers without end', `HTTP/1.1 400 Bad Request\r\nX: ${'y'.repeat(70_000)}`],
    ['has chunks that are none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz'],
  ])('where its answer %s, and that is told', async (_, bytes) => {
    const backoff = twice();
    const warnings: string[] = [];
    backoff.events.on('warning', ({ code }) => warnings.push(code));
    const { statusOf } = await open(backoff, (socket) => socket.write(bytes));
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([502, 502, 429]);
    expect(warnings).toEqual(['KRATOS_UPSTREAM_UNREADABLE']);
  });

  it('where its answer breaks off', async () => {
    const { statusOf } = await open(twice(), (socket) => {
      socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 10\r\n\r\nhello');
      setTimeout(() => socket.destroy(), 50);
    });
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([400, 400, 429]);
  });

  it('where the client hangs up before it is answered', async () => {
    const { login, statusOf, submitted } = await open(twice(), () => {});
    for (let guess = 1; guess <= 2; guess += 1) {
      const { socket } = login();
      await until(() => submitted() === guess);
      socket.destroy();
    }
    expect(await statusOf()).toBe(429);
  });

  it('and not where it could not be reached, or broke off before it answered', async () => {
    const { statusOf } = await open(twice(), (socket) => socket.destroy());
    for (let attempt = 0; attempt < 4; attempt += 1) expect(await statusOf()).toBe(502);
  });
});

describe('with the whole engine in front, an answer', () => {
  const success = 'HTTP/1.1 200 OK\r\nSet-Cookie: ory_kratos_session=abc\r\nContent-Length: 2\r\n\r\n{}';
  const failure = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n{}';

  function matrix() {
    const store = createFaultyStore(createMemoryStore(), systemClock);
    const guard = createGuard({ store, secret, failure: { deadlineMs: null } });
    return { store, backoff: new MatrixBackoff({ guard }) };
  }

  it.each([
    ['a success', success],
    ['a failure', failure],
  ])('that cannot be noted does not go on, and does not show that it was %s', async (_, answer) => {
    const { store, backoff } = matrix();
    const { login, faults } = await open(backoff, (socket) => {
      store.trouble(() => {
        throw new TypeError('a bug');
      });
      socket.write(answer);
    });
    const said = login();
    await once(said.socket, 'close');
    expect(said.heard).toMatch(/^HTTP\/1\.1 500 /);
    expect(said.heard).not.toContain('ory_kratos_session');
    expect(faults).toHaveLength(1);
  });

  it('that breaks off while it is noted is noted, and nobody is left waiting for the rest', async () => {
    const { store, backoff } = matrix();
    const outcomes: string[] = [];
    backoff.events.on('outcome', ({ outcome }) => outcomes.push(outcome));
    const { statusOf, faults } = await open(backoff, (socket) => {
      store.trouble({ kind: 'late', delayMs: 300 });
      socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 10\r\n\r\nhello');
      setTimeout(() => socket.destroy(), 50);
    });
    expect(await statusOf()).toBe(400);
    expect([outcomes, faults]).toEqual([['failure'], []]);
  });
});
