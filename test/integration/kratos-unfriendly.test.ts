import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuard } from '../../src/index.ts';
import { createLoginBackoff } from '../../src/kratos/counter-backoff.ts';
import type { LoginBackoff } from '../../src/kratos/login-backoff.ts';
import { MatrixBackoff } from '../../src/kratos/matrix-backoff.ts';
import { createKratosProxy } from '../../src/kratos/proxy/kratos-proxy.ts';
import type { UpstreamOptions } from '../../src/kratos/proxy/upstream.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { until } from '../servers/redis-server.ts';

const secret = 'a secret of sixteen bytes or more';
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

/** A proxy before something that answers as it is told, and clients that write what they like. */
async function open(
  backoff: LoginBackoff,
  answer: RequestListener,
  upstream: Partial<UpstreamOptions> = {},
  connections?: number,
) {
  const kratos = createServer(answer).listen(0, '127.0.0.1');
  await once(kratos, 'listening');
  const url = `http://127.0.0.1:${portOf(kratos)}`;
  const proxy = createKratosProxy({ upstream: { url, ...upstream }, backoff, connections });
  proxy.server.listen(0, '127.0.0.1');
  await once(proxy.server, 'listening');
  onTestFinished(async () => {
    kratos.closeAllConnections();
    kratos.close();
    await proxy.close(200);
  });
  const say = (text: string): { readonly socket: Socket; heard: string } => {
    const said = { socket: connect(portOf(proxy.server), '127.0.0.1'), heard: '' };
    said.socket
      .on('error', () => {})
      .on('data', (chunk) => {
        said.heard += chunk.toString('latin1');
      });
    said.socket.write(text);
    onTestFinished(() => void said.socket.destroy());
    return said;
  };
  return { proxy, say };
}

function loginPost(guess: number): string {
  const body = JSON.stringify({ method: 'password', identifier: 'victim@example.com', password: `${guess}` });
  return `POST /self-service/login?flow=${guess} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

describe('the login proxy and unfriendly clients', () => {
  it('counts the guesses of those who hang up before the answer', async () => {
    const backoff = new MatrixBackoff({ guard: createGuard({ store: createMemoryStore(), secret }) });
    const attempts: boolean[] = [];
    const outcomes: string[] = [];
    backoff.events.on('attempt', ({ allowed }) => attempts.push(allowed));
    backoff.events.on('outcome', ({ outcome }) => outcomes.push(outcome));
    let asked = 0;
    const { say } = await open(backoff, (request, response) => {
      request.resume().on('end', async () => {
        asked += 1;
        await sleep(60);
        response.writeHead(400, { 'Content-Type': 'application/json' }).end('{}');
      });
    });
    for (let guess = 0; guess < 6; guess += 1) {
      const { socket } = say(loginPost(guess));
      const before = asked;
      await until(() => asked > before || attempts.length > guess);
      if (attempts[guess] !== false) await until(() => asked > before);
      const counted = outcomes.length;
      socket.destroy();
      if (attempts[guess] !== false) await until(() => outcomes.length > counted);
    }
    expect(attempts).toContain(false);
    expect(new Set(outcomes)).toEqual(new Set(['failure']));
  });

  it('lets nobody keep others from Kratos by sending slowly', async () => {
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret });
    const { say } = await open(
      backoff,
      (request, response) => void request.resume().on('end', () => response.end('ok')),
      { connections: 2, timeoutMs: 1_000 },
    );
    const begin =
      'POST /self-service/registration?flow=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\na';
    for (let n = 0; n < 4; n += 1) say(begin);
    await sleep(100);
    const login = say(loginPost(1));
    await until(() => login.heard.startsWith('HTTP/1.1 200'));
    const ready = say('GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => ready.heard.startsWith('HTTP/1.1 200'));
  });

  it('lets nobody keep others out by opening connections and saying nothing, or no more', async () => {
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret });
    const { say } = await open(backoff, (_, response) => response.end('ok'), {}, 40);
    for (let round = 0; round < 30; round += 1) {
      say('');
      const idle = say('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => idle.heard !== '' || idle.socket.destroyed);
    }
    // Idle ones are looked for four times a second.
    await sleep(300);
    const login = say(loginPost(1));
    await until(() => login.heard !== '' || login.socket.destroyed);
    expect(login.heard).toMatch(/^HTTP\/1.1 200 /);
  });

  it('is ready while Kratos answers, whatever it says, but for faults of its own', async () => {
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret });
    for (const [status, ready] of [
      [200, 200],
      [404, 200],
      [500, 503],
      [503, 503],
    ] as const) {
      const { say } = await open(backoff, (_, response) => response.writeHead(status).end());
      const asked = say('GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => asked.heard !== '');
      expect(asked.heard).toMatch(new RegExp(`^HTTP/1\\.1 ${ready} `));
    }
  });

  it('sends a login to Kratos once, also where its connection breaks', async () => {
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret });
    let asked = 0;
    const { say } = await open(backoff, (request) => {
      asked += 1;
      request.socket.destroy();
    });
    const login = say(loginPost(1));
    await until(() => login.heard !== '');
    expect([login.heard.slice(0, 12), asked]).toEqual(['HTTP/1.1 502', 1]);
  });

  it('waits for a free connection no longer than for an answer, and takes the attempt back', async () => {
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret });
    const outcomes: string[] = [];
    backoff.events.on('outcome', ({ outcome }) => outcomes.push(outcome));
    // An answer that goes on and on holds the only connection.
    const endless: RequestListener = (_, response) => {
      const more = setInterval(() => response.write('a'), 50);
      response.on('close', () => clearInterval(more));
    };
    const { say } = await open(backoff, endless, { connections: 1, timeoutMs: 2_000 });
    const first = say('GET /first HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => first.heard !== '');
    const login = say(loginPost(1));
    await until(() => login.heard !== '');
    expect(login.heard).toMatch(/^HTTP\/1\.1 504/);
    expect(outcomes).toEqual(['undelivered']);
    backoff.close();
  });

  it('refuses a login that comes in thousands of crumbs, and asks Kratos nothing', async () => {
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret });
    let asked = 0;
    const { say } = await open(backoff, (_, response) => {
      asked += 1;
      response.end();
    });
    const head =
      'POST /self-service/login?flow=1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const login = say(`${head}${'1\r\n \r\n'.repeat(2_000)}2\r\n{}\r\n0\r\n\r\n`);
    await until(() => login.heard !== '');
    expect([login.heard.slice(0, 12), asked]).toEqual(['HTTP/1.1 413', 0]);
    backoff.close();
  });

  it('closes the connection of those who take no answer, later than any answer takes', async () => {
    const backoff = createLoginBackoff({ store: createMemoryStore(), secret });
    const { proxy } = await open(backoff, (_, response) => void response.end(), { timeoutMs: 1_000 });
    expect(proxy.server.timeout).toBe(32_000);
  });
});
