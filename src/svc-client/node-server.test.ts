import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Loopback, startLoopback } from '../../test/integration/svc-client/loopback.ts';
import { testKeys } from '../../test/simulation/svc-client/simulated-client.ts';
import {
  type Checkpoint,
  createCheckpoint,
  createSvcClient,
  currentJourney,
  type FetchHandler,
  passportMiddleware,
  withPassport,
  withPassportFetch,
} from './index.ts';
import { KeyRing } from './key-ring.ts';
import { writePassport } from './passport.ts';
import { readReceipt } from './receipt.ts';

const [key = { id: '', secret: '' }] = testKeys;
const keys = new KeyRing(key, null);
const passport = {
  requestId: 'r1',
  hops: ['orders@1', 'stock@1'],
  retries: 2,
  remainingMs: 700,
  nonce: 'n1',
};
const headers = { 'x-portcullis-passport': writePassport(passport, keys) };
const looping = { ...passport, hops: ['stock@1', 'a@1', 'stock@1', 'a@1', 'stock@1'] };
const loopHeaders = { 'x-portcullis-passport': writePassport(looping, keys) };

const checkpoint = createCheckpoint({ self: 'stock@1', keys: testKeys });

async function serve(listener: Parameters<typeof withPassport>[1]): Promise<Loopback> {
  const loopback = await startLoopback(withPassport(checkpoint, listener));
  onTestFinished(loopback.close);
  return loopback;
}

function receiptOf(response: Response) {
  const reading = readReceipt(response.headers.get('x-portcullis-receipt') ?? '', 'n1', 2, keys);
  return reading.valid ? reading.receipt : reading.flaw;
}

/** Chunks that come one by one, so that the handler has begun when the last of them comes. */
function slowly(...chunks: string[]): ReadableStream {
  return ReadableStream.from(
    (async function* () {
      for (const chunk of chunks) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield new TextEncoder().encode(chunk);
      }
    })(),
  );
}

describe('node:http behind a checkpoint', () => {
  it('handles the request inside its journey and answers with a receipt', async () => {
    const { url } = await serve(async (_, response) => {
      await new Promise((resolve) => setImmediate(resolve));
      currentJourney()?.spendRetry();
      response.end(currentJourney()?.hops.join(' '));
    });
    const response = await fetch(url, { headers });
    expect(await response.text()).toBe('orders@1 stock@1');
    expect(response.headers.get('x-request-id')).toBe('r1');
    expect(receiptOf(response)).toEqual({ unused: 1, failedBelow: false });
  });

  it.each<[string, Parameters<typeof withPassport>[1]]>([
    ['writeHead with headers', (_, response) => response.writeHead(202, { 'x-own': '1' }).end()],
    ['writeHead with a message', (_, response) => response.writeHead(202, 'Fine', { 'x-own': '1' }).end()],
    ['writeHead with a list', (_, response) => response.writeHead(202, ['x-own', '1']).end()],
    [
      'implicit headers',
      (_, response) => {
        response.statusCode = 202;
        response.setHeader('x-own', '1');
        response.write('a');
        response.end('b');
      },
    ],
  ])('keeps what the handler says by %s', async (_, listener) => {
    const { url } = await serve(listener);
    const response = await fetch(url, { headers });
    expect(response.status).toBe(202);
    expect(response.headers.get('x-own')).toBe('1');
    expect(receiptOf(response)).toEqual({ unused: 2, failedBelow: false });
  });

  it('gives no receipt to those who showed no passport', async () => {
    const { url } = await serve((_, response) => response.end());
    const response = await fetch(url);
    expect(response.headers.has('x-portcullis-receipt')).toBe(false);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keeps the journeys of concurrent requests apart', async () => {
    const { url } = await serve(async (_, response) => {
      const before = currentJourney()?.requestId;
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      response.end(`${before} ${currentJourney()?.requestId}`);
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const response = await fetch(url, { headers: { 'x-request-id': `r${index}` } });
        return response.text();
      }),
    );
    expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => `r${index} r${index}`));
  });

  it('stays in the journey where the handler listens to the request and the response', async () => {
    const heard: (string | undefined)[] = [];
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const { url } = await serve((request, response) => {
      request.on('data', () => heard.push(currentJourney()?.requestId));
      request.on('end', () => response.end(currentJourney()?.hops.join(' ')));
      response.on('close', () => {
        heard.push(currentJourney()?.requestId);
        close();
      });
    });
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: slowly('a', 'b'),
      duplex: 'half',
    } as RequestInit);
    expect(await response.text()).toBe('orders@1 stock@1');
    await closed;
    expect(heard).toEqual(['r1', 'r1', 'r1']);
  });

  it('answers a loop itself', async () => {
    let handled = 0;
    const { url } = await serve((_, response) => {
      handled += 1;
      response.end();
    });
    const response = await fetch(url, { headers: loopHeaders });
    expect(response.status).toBe(508);
    expect(response.headers.get('x-portcullis-denied')).toBe('loop');
    expect(receiptOf(response)).toEqual({ unused: 2, failedBelow: true });
    expect(await response.json()).toMatchObject({ code: 'LOOP_DETECTED', requestId: 'r1' });
    expect(handled).toBe(0);
  });

  it('works as middleware: errors of what comes next go to the framework', async () => {
    const middleware = passportMiddleware(checkpoint);
    const loopback = await startLoopback((request, response) => {
      try {
        middleware(request, response, () => {
          throw new TypeError('handler');
        });
      } catch (error) {
        response.writeHead(500).end(String(error));
      }
    });
    onTestFinished(loopback.close);
    const response = await fetch(loopback.url, { headers });
    expect([response.status, await response.text()]).toEqual([500, 'TypeError: handler']);
    expect(receiptOf(response)).toEqual({ unused: 2, failedBelow: false });
  });
});

describe('what stands behind a checkpoint', () => {
  const client = createSvcClient({
    self: 'stock@1',
    keys: testKeys,
    targets: { 'orders@1': { url: 'http://127.0.0.1:9' } },
  });
  const expected = 'checkpoint must be what createCheckpoint gives, or the checkpoint of a client';

  it.each<[unknown, string]>([
    [client, `${expected}, got an object`],
    [{ self: 'stock@1', keys: testKeys }, `${expected}, got an object`],
    [undefined, `${expected}, got nothing`],
  ])('is made with one, and with nothing that is easily taken for it: %#', (other, message) => {
    const refused = expect.objectContaining({ code: 'CONFIG_INVALID', message });
    expect(() => passportMiddleware(other as Checkpoint)).toThrow(refused);
    expect(() => withPassport(other as Checkpoint, () => {})).toThrow(refused);
    expect(() => withPassportFetch(other as Checkpoint, () => new Response())).toThrow(refused);
  });

  it('is a function', () => {
    const app = { fetch: () => new Response() } as unknown;
    const refused = (name: string) =>
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: `${name} must be a function, got an object`,
      });
    expect(() => withPassport(client.checkpoint, app as RequestListener)).toThrow(refused('listener'));
    expect(() => withPassportFetch(client.checkpoint, app as FetchHandler)).toThrow(refused('handler'));
  });
});

describe('a fetch-style handler behind a checkpoint', () => {
  const handler = withPassportFetch(checkpoint, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    currentJourney()?.noteFailedCall();
    return new Response(currentJourney()?.requestId, { status: 503, headers: { 'x-own': '1' } });
  });

  it('runs inside its journey and answers with a receipt', async () => {
    const response = await handler(new Request('http://stock/', { headers }));
    expect([response.status, await response.text()]).toEqual([503, 'r1']);
    expect(response.headers.get('x-own')).toBe('1');
    expect(response.headers.get('x-request-id')).toBe('r1');
    expect(receiptOf(response)).toEqual({ unused: 2, failedBelow: true });
  });

  it('passes an answer on as it is that makes another protocol of the connection', async () => {
    // Node cannot make one; runtimes that can take none but the very object they gave.
    const upgrade = Object.defineProperty(new Response(null), 'status', { value: 101 });
    const upgrading = withPassportFetch(checkpoint, () => upgrade);
    expect(await upgrading(new Request('http://stock/socket', { headers }))).toBe(upgrade);
  });

  it('answers a loop itself', async () => {
    const response = await handler(new Request('http://stock/', { headers: loopHeaders }));
    expect(response.status).toBe(508);
    expect(receiptOf(response)).toEqual({ unused: 2, failedBelow: true });
    expect(await response.json()).toMatchObject({ code: 'LOOP_DETECTED' });
  });
});
