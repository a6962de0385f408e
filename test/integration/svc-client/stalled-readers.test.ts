import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/svc-client/clock.ts';
import { type BodyEnd, createSvcClient, type SvcBody } from '../../../src/svc-client/index.ts';
import { undiciTransport } from '../../../src/svc-client/undici-transport.ts';
import { testKeys } from '../../simulation/svc-client/simulated-client.ts';
import { attempt } from './attempts.ts';
import { startLoopback } from './loopback.ts';

const long = { 'content-length': '1000000' };
const flood = (response: ServerResponse) => response.writeHead(200, long).write('x'.repeat(200_000));
/** An event now, and another every so often, as servers send them that never end. */
const events = (everyMs: number) => (response: ServerResponse) => {
  const tell = () => response.write('data: x\n\n');
  tell();
  const timer = setInterval(tell, everyMs);
  response.on('close', () => clearInterval(timer));
};

/** The body of an answer that has a minute, over the only connection there is, and how it ends. */
async function opened(respond: (response: ServerResponse) => void, stallMs: number) {
  const { url, close } = await startLoopback((request, response) => {
    if (request.url === '/other') response.end('other');
    else respond(response);
  });
  onTestFinished(close);
  const endpoint = undiciTransport(systemClock).open(url, 1);
  onTestFinished(() => endpoint.close());
  const ends: BodyEnd[] = [];
  const bodyEnded = (end: BodyEnd) => void ends.push(end);
  const send = async (path: string) => {
    const outcome = await endpoint.send(
      attempt({ path, timeoutMs: 20_000, deadlineMs: 60_000, stallMs, bodyEnded }),
    );
    if (outcome.kind !== 'response') throw new TypeError(outcome.kind);
    return outcome.response.body;
  };
  return { body: await send('/'), ends, askOther: async () => (await send('/other')).text() };
}

async function readAll(body: SvcBody, pauseMs: number, chunks: number): Promise<number> {
  let read = 0;
  for await (const _ of body) {
    read += 1;
    if (read === chunks) break;
    await sleep(pauseMs);
  }
  return read;
}

describe('a body that nobody reads', () => {
  it.each([
    ['has more than is kept for it', flood],
    ['has little, and goes on', events(20)],
  ])('gives its connection up when it %s', async (_, respond) => {
    const { body, ends, askOther } = await opened(respond, 100);
    expect(await askOther()).toBe('other');
    expect(ends[0]).toBe('dropped');
    await expect(readAll(body, 0, 1_000)).rejects.toMatchObject({
      code: 'TARGET_TIMEOUT',
      message: 'nothing of the response was read for 100 ms, and its connection was given up',
    });
  });

  it('is given up too when its reader has begun and then stands still', async () => {
    const { body, ends, askOther } = await opened(flood, 100);
    await body[Symbol.asyncIterator]().next();
    expect(await askOther()).toBe('other');
    expect(ends[0]).toBe('dropped');
  });
});

describe('a body that nobody wants', () => {
  it('gives its connection up when no more of it comes', async () => {
    const { body, ends, askOther } = await opened(
      (response) => response.writeHead(200, long).write('x'),
      100,
    );
    await body.dump();
    expect(ends).toEqual(['dropped']);
    expect(await askOther()).toBe('other');
  });
});

describe('a body that moves', () => {
  it('is left alone while its reader waits for the next event, however long', async () => {
    const { body } = await opened(events(1_000), 100);
    expect(await readAll(body, 0, 3)).toBe(3);
  });

  it('is left alone while its reader takes a piece now and then', async () => {
    const { body } = await opened(events(5), 400);
    expect(await readAll(body, 60, 25)).toBe(25);
  });

  it('is left alone while it is read whole, however slowly it comes', async () => {
    const { body } = await opened((response) => {
      response.write('a');
      setTimeout(() => response.end('b'), 1_000);
    }, 100);
    expect(await body.text()).toBe('ab');
  });
});

describe('a client', () => {
  it('gives its targets back the connections of downloads that stand still', async () => {
    const { url, close } = await startLoopback((request, response) => {
      if (request.url === '/other') response.end('other');
      else flood(response);
    });
    onTestFinished(close);
    const client = createSvcClient({
      self: 'web@1',
      keys: testKeys,
      targets: { 'files@1': { url, connections: 2, stallMs: 100 } },
    });
    onTestFinished(() => client.close());
    const minute = { deadlineMs: 60_000, timeoutMs: 20_000 };
    const downloads = [client.call('files@1', minute), client.call('files@1', minute)];
    expect((await Promise.all(downloads)).map(({ ok }) => ok)).toEqual([true, true]);
    const response = await client.fetch('svc://files@1/other', { svc: minute });
    expect(await response.text()).toBe('other');
  });
});
