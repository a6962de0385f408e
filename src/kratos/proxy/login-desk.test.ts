import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startLoopback } from '../../../test/integration/svc-client/loopback.ts';
import { createMemoryStore } from '../../stores/memory/index.ts';
import { createLoginBackoff } from '../counter-backoff.ts';
import { LoginBodies, usualLoginBytes } from './login-body.ts';
import { LoginDesk } from './login-desk.ts';
import { readTarget } from './target.ts';
import { Upstream } from './upstream.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const path = '/self-service/login?flow=1';

/** A desk with room for four usual logins, before a Kratos that does not answer. Gives its port, and how many arrived there. */
async function openDesk() {
  const kratos = await startLoopback(() => undefined);
  const upstream = new Upstream({ url: kratos.url });
  const bodies = new LoginBodies(8 * usualLoginBytes);
  const desk = new LoginDesk({
    upstream,
    backoff: createLoginBackoff({ store: createMemoryStore(), secret: 'a secret that is long enough' }),
    lockoutPath: '/login',
    sessionCookie: 'session',
    onFailure: () => undefined,
    onFault: (error) => expect.unreachable(String(error)),
    bodies,
  });
  const target = readTarget(path);
  if (target === null) expect.unreachable('it is the path of a login');
  const server = createServer(
    (request, response) => void desk.take(request, response, target, '203.0.113.7'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(
    kratos.close,
    () => upstream.close(0),
    () => void server.close().closeAllConnections(),
  );
  return { port: (server.address() as AddressInfo).port, bodies, kratos };
}

function loginText(account: string): string {
  const begin = `{"method":"password","identifier":"${account}","password":"x","pad":"`;
  const body = `${begin}${'a'.repeat(usualLoginBytes - begin.length - 2)}"}`;
  return `POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

describe('the desk for logins', () => {
  it('gives back the room of logins that were sent in one go by somebody who then left', async () => {
    const { port, bodies, kratos } = await openDesk();
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.write(['a', 'b', 'c', 'd'].map(loginText).join(''));
    while (kratos.requests.length < 4) await new Promise((resolve) => setImmediate(resolve));
    expect(bodies.heldBytes).toBe(4 * usualLoginBytes);
    client.destroy();
    while (bodies.heldBytes > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});
