import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { warningsOfProcess } from '../../test/conformance/process-warnings.ts';
import { isOver, onceClosed } from './response-close.ts';

/** Asks so often at once, without waiting for answers. */
async function pipelined(count: number, listener: RequestListener): Promise<Socket> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined).resume();
  onTestFinished(() => void client.destroy());
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(count));
  return client;
}

describe('the close of a response', () => {
  it('is told of every response that waits for its turn when the connection goes', async () => {
    const closed: ServerResponse[] = [];
    const open: ServerResponse[] = [];
    await new Promise<void>((resolve, reject) => {
      const listening = pipelined(20, (_, response) => {
        onceClosed(response, () => {
          closed.push(response);
          if (closed.length === 20) resolve();
        });
        open.push(response);
        if (open.length === 20) listening.then((client) => client.destroy(), reject);
      });
    });
    expect(closed).toEqual(open);
    expect(open.every(isOver)).toBe(true);
  });

  it('is told once, of each response as it ends, while the connection stays', async () => {
    const warnings = warningsOfProcess();
    const told: number[] = [];
    let asked = 0;
    const client = await new Promise<Socket>((resolve) => {
      const asking = pipelined(20, (_, response) => {
        const place = asked;
        asked += 1;
        onceClosed(response, () => {
          told.push(place);
          if (told.length === 20) void asking.then(resolve);
        });
        setImmediate(() => response.end('x'));
      });
    });
    expect(told).toEqual(Array.from({ length: 20 }, (_, place) => place));
    const gone = new Promise((resolve) => client.once('close', resolve));
    client.destroy();
    await gone;
    expect(told).toHaveLength(20);
    expect(warnings).toEqual([]);
  });
});
