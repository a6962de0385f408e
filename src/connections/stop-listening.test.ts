import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { stopListening } from './stop-listening.ts';

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((_, response) => {
    response.setHeader('connection', 'close').end('here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  return { server, port: (server.address() as AddressInfo).port };
}

/** Connects and asks once it is told to, in a thread of its own; says so, and hands over how it was answered. */
const clientThread = `
  const { workerData: { port, signs }, parentPort } = require('node:worker_threads');
  Atomics.wait(signs, 0, 0);
  const socket = require('node:net').connect(port, '127.0.0.1', () => {
    socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n', () => {
      Atomics.store(signs, 1, 1);
      Atomics.notify(signs, 1);
    });
  });
  socket.once('data', (data) => { parentPort.postMessage(String(data).split('\\r\\n')[0]); socket.destroy(); });
  socket.once('error', (error) => parentPort.postMessage(error.code));
`;

it('answers who has connected while the turn before the end was busy', async () => {
  const { server, port } = await listening();
  const signs = new Int32Array(new SharedArrayBuffer(8));
  const client = new Worker(clientThread, { eval: true, workerData: { port, signs } });
  onTestFinished(async () => void (await client.terminate()));
  await once(client, 'online');
  const heard = once(client, 'message');
  // Runs in the turn that is waited for, before its end is told: nobody is taken in any more by then.
  setImmediate(() => {
    Atomics.store(signs, 0, 1);
    Atomics.notify(signs, 0);
    expect(Atomics.wait(signs, 1, 0, 20_000)).toBe('ok');
  });
  const { ended } = await stopListening(server);
  expect(server.listening).toBe(false);
  expect(await heard).toEqual(['HTTP/1.1 200 OK']);
  await ended;
});

it('ends what rests between requests', async () => {
  const { server, port } = await listening();
  server.removeAllListeners('request').on('request', (_, response) => response.end('here'));
  const resting = await fetch(`http://127.0.0.1:${port}/`);
  expect([await resting.text(), resting.headers.get('connection')]).toEqual(['here', 'keep-alive']);
  const { ended } = await stopListening(server);
  await ended;
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
});
