import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request as openRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { LoginBodies, mostLoginBytes, usualLoginBytes } from './login-body.ts';

const server = createServer();
const clients: ClientRequest[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

/** A login that has sent this much of itself and waits with the rest. */
async function beginLogin(sentBytes: number): Promise<{ client: ClientRequest; upload: IncomingMessage }> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = openRequest({ port, host: '127.0.0.1', method: 'POST' });
  client.on('error', () => undefined);
  clients.push(client);
  const arrival = once(server, 'request') as Promise<[IncomingMessage]>;
  client.write(Buffer.alloc(sentBytes, 'a'));
  const [upload] = await arrival;
  return { client, upload };
}

/** Resolves when this much of the upload has come in. */
async function received(upload: IncomingMessage, bytes: number): Promise<void> {
  let seen = 0;
  upload.on('data', (chunk: Buffer) => {
    seen += chunk.length;
  });
  while (seen < bytes) await turn();
}

/** Large logins that wait with their end, as many of them as there is room for, and more. */
async function fillWithSlowLogins(
  bodies: LoginBodies,
): Promise<readonly Awaited<ReturnType<typeof beginLogin>>[]> {
  const logins = [];
  for (let opened = 0; opened < 5; opened += 1) {
    const login = await beginLogin(mostLoginBytes);
    void bodies.read(login.upload);
    await received(login.upload, mostLoginBytes);
    logins.push(login);
  }
  return logins;
}

describe('the bodies of logins', () => {
  it('are read while large ones that are sent slowly hold all the room there is for large ones', async () => {
    const bodies = new LoginBodies(4 * mostLoginBytes);
    await fillWithSlowLogins(bodies);
    const { client, upload } = await beginLogin(usualLoginBytes - 1);
    const reading = bodies.read(upload);
    client.end('b');
    expect(await reading).toHaveLength(usualLoginBytes);
  });

  it('are refused as busy where they are larger than that, and take the room that others give back', async () => {
    const bodies = new LoginBodies(4 * mostLoginBytes);
    const [first] = await fillWithSlowLogins(bodies);
    const refused = await beginLogin(mostLoginBytes);
    expect(await bodies.read(refused.upload)).toBe('busy');

    const left = new Promise((resolve) => first?.upload.once('close', resolve));
    first?.client.destroy();
    await left;
    const { client, upload } = await beginLogin(mostLoginBytes - 1);
    const reading = bodies.read(upload);
    client.end('b');
    expect(await reading).toHaveLength(mostLoginBytes);
  });

  it('are refused as busy when the usual ones alone fill their room, until one is released', async () => {
    const bodies = new LoginBodies(4 * usualLoginBytes);
    const held: Buffer[] = [];
    for (let taken = 0; taken < 2; taken += 1) {
      const { client, upload } = await beginLogin(1);
      const reading = bodies.read(upload);
      client.end(Buffer.alloc(usualLoginBytes - 1));
      const body = await reading;
      if (typeof body === 'string') throw new TypeError(body);
      held.push(body);
    }
    const refused = await beginLogin(1);
    expect(await bodies.read(refused.upload)).toBe('busy');

    bodies.release(held[0] as Buffer);
    const { client, upload } = await beginLogin(1);
    const reading = bodies.read(upload);
    client.end('b');
    expect(await reading).toHaveLength(2);
  });

  it('make room for others where they are long on their way', async () => {
    const bodies = new LoginBodies(4 * usualLoginBytes);
    const readings = [];
    for (let opened = 0; opened < 2; opened += 1) {
      const { upload } = await beginLogin(usualLoginBytes);
      readings.push(bodies.read(upload));
      await received(upload, usualLoginBytes);
    }
    for (let others = 0; others < 3; others += 1) {
      const { client, upload } = await beginLogin(usualLoginBytes / 4 - 1);
      const reading = bodies.read(upload);
      client.end('b');
      expect(await reading).toHaveLength(usualLoginBytes / 4);
    }
    expect(await readings[0]).toBe('busy');
    expect(await Promise.race([readings[1], turn('under way')])).toBe('under way');
  });

  it('hold nothing any more once they were too large', async () => {
    const bodies = new LoginBodies(2 * mostLoginBytes);
    for (let sent = 0; sent < 3; sent += 1) {
      const { upload } = await beginLogin(mostLoginBytes + 1);
      expect(await bodies.read(upload)).toBe('too-large');
    }
  });
});
