import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Loopback, startLoopback } from '../../../test/integration/svc-client/loopback.ts';
import { createMemoryStore } from '../../stores/memory/index.ts';
import { createLoginBackoff } from '../counter-backoff.ts';
import { LoginBodies, usualLoginBytes } from './login-body.ts';
import { LoginDesk } from './login-desk.ts';
import { readTarget } from './target.ts';
import { Upstream } from './upstream.ts';

const path = '/self-service/login?flow=1';

/** A desk with room for four usual logins, before a Kratos that does not answer. Gives its port, and how many arrived there. */
async function openDesk() {
  const kratos = await startLoopback(() => undefined);
  const upstream = new Upstream({ url: kratos.url });
  const desk = new LoginDesk({
    upstream,
    backoff: createLoginBackoff({ store: createMemoryStore(), secret: 'a secret that is long enough' }),
    lockoutPath: '/login',
    sessionCookie: 'session',
    onFailure: () => undefined,
    onFault: (error) => expect.unreachable(String(error)),
    bodies: new LoginBodies(8 * usualLoginBytes),
  });
  const target = readTarget(path);
  if (target === null) expect.unreachable('it is the path of a login');
  const server = createServer(
    (request, response) => void desk.take(request, response, target, '203.0.113.7'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(kratos.close);
  onTestFinished(() => upstream.close(0));
  onTestFinished(() => void server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, kratos };
}

/** Sends logins without waiting for answers. */
function send(port: number, accounts: readonly string[]): Socket {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.write(accounts.map(loginText).join(''));
  onTestFinished(() => void client.destroy());
  return client;
}

/** The status of the first answer. */
async function statusOf(client: Socket): Promise<string | undefined> {
  const [chunk] = (await once(client, 'data')) as [Buffer];
  return chunk.toString('latin1').split(' ', 2)[1];
}

async function arrived({ requests }: Loopback, count: number): Promise<void> {
  while (requests.length < count) await turn();
}

function loginText(account: string): string {
  const begin = `{"method":"password","identifier":"${account}","password":"x","pad":"`;
  const body = `${begin}${'a'.repeat(usualLoginBytes - begin.length - 2)}"}`;
  return `POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

describe('the desk for logins', () => {
  it('gives back the room of logins that were sent in one go by somebody who then left', async () => {
    const { port, kratos } = await openDesk();
    const client = send(port, ['a', 'b', 'c', 'd']);
    await arrived(kratos, 4);
    expect(await statusOf(send(port, ['e']))).toBe('503');
    client.destroy();
    // As soon as there is room the next one goes on to Kratos, which does not answer.
    while (kratos.requests.length < 5) {
      const next = send(port, ['e']);
      await Promise.race([statusOf(next), arrived(kratos, 5)]);
      next.destroy();
    }
  });
});
