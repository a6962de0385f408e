import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RequestsAtOnce } from './requests-at-once.ts';

const request = 'GET / HTTP/1.1\r\nHost: here\r\n\r\n';

/** A server that lets so many requests of a connection wait, and a client of it. */
async function scene(most: number) {
  const requests = new RequestsAtOnce(most);
  const waiting: ServerResponse[] = [];
  const server = createServer((message, response) => {
    if (requests.begin(message, response)) waiting.push(response);
    if (waiting.length === most) server.emit('full');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => client.destroy());
  onTestFinished(() => server.close().closeAllConnections());
  onTestFinished(() => void client.destroy());
  return { server, client, waiting };
}

describe('requests of one connection', () => {
  it('are taken as long as there are not too many without an answer', async () => {
    const { server, client, waiting } = await scene(3);
    for (let round = 0; round < 3; round += 1) {
      const full = once(server, 'full');
      client.write(request.repeat(3));
      await full;
      const [, , last] = waiting;
      const finished = once(last as ServerResponse, 'finish');
      for (const response of waiting.splice(0)) response.end('x');
      await finished;
    }
    expect(client.destroyed).toBe(false);
  });

  it('are too many in one go also where each has its answer before the next', async () => {
    const requests = new RequestsAtOnce(3);
    let answered = 0;
    const server = createServer((message, response) => {
      if (!requests.begin(message, response)) return;
      answered += 1;
      response.end('x');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => client.destroy());
    onTestFinished(() => server.close().closeAllConnections());
    client.write(request.repeat(10));
    await once(client.resume(), 'close');
    expect(answered).toBe(3);
  });

  it('end it with one too many, and those behind are not taken', async () => {
    const { client, waiting } = await scene(3);
    client.write(request.repeat(10));
    await once(client.resume(), 'close');
    expect(waiting).toHaveLength(3);
  });
});
