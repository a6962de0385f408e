import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BodyEnd, createSvcClient, type SvcBody } from '../../../src/svc-client/index.ts';
import { testKeys } from '../../simulation/svc-client/simulated-client.ts';
import { attempt, endpointAt } from './attempts.ts';
import { startLoopback, unusedUrl } from './loopback.ts';

describe('the end of a body over undici', () => {
  const ended = { 'content-length': '3' };
  const endless = { 'content-length': '1000000' };
  const aLot = 'x'.repeat(200_000);
  /** Long enough for any head, and for what comes of the end before the deadline. */
  const ample = { timeoutMs: 30_000, deadlineMs: 40_000 };
  /** The deadline is what ends the body; the head has time also on a busy machine. */
  const short = { timeoutMs: 2_500, deadlineMs: 3_000 };

  /** How the body ended that the server sent so and the caller treated so: once, however much comes after. */
  async function endsOf(
    respond: (response: ServerResponse) => void,
    treat: (body: SvcBody, leave: () => void) => Promise<unknown> | undefined,
    limits = ample,
  ): Promise<BodyEnd[]> {
    const { url, close } = await startLoopback((_, response) => respond(response));
    onTestFinished(close);
    const ends: BodyEnd[] = [];
    const leaving = new AbortController();
    let bodyEnded = (_: BodyEnd) => {};
    const told = new Promise<void>((resolve) => {
      bodyEnded = (end) => {
        ends.push(end);
        resolve();
      };
    });
    const outcome = await endpointAt(url).send(attempt({ ...limits, signal: leaving.signal, bodyEnded }));
    if (outcome.kind !== 'response') throw new TypeError(outcome.kind);
    await treat(outcome.response.body, () => leaving.abort())?.catch(() => undefined);
    await told;
    // What undici makes of the end comes in a later turn.
    await new Promise((later) => setTimeout(later, 20));
    return ends;
  }

  it.each([
    ['complete', 'whole', (body: SvcBody) => body.text()],
    ['complete', 'unread', () => undefined],
  ] as const)('is told as %s when it came %s', async (end, _, treat) => {
    expect(await endsOf((response) => response.writeHead(200, ended).end('abc'), treat)).toEqual([end]);
  });

  it('is told as timeout when the target falls silent', async () => {
    const stall = (response: ServerResponse) => response.writeHead(200, ended).write('a');
    const ends = [endsOf(stall, (body) => body.text(), short), endsOf(stall, () => undefined, short)];
    expect(await Promise.all(ends)).toEqual([['timeout'], ['timeout']]);
  });

  it('is told as dropped when the target waits for the rest of what the caller sends', async () => {
    const { url, close } = await startLoopback((request, response) => {
      request.resume();
      response.writeHead(200, ended).write('a');
    });
    onTestFinished(close);
    const upload = new PassThrough();
    upload.write('a');
    const end = await new Promise<BodyEnd>((bodyEnded) => {
      void endpointAt(url).send(attempt({ ...short, method: 'POST', body: upload, bodyEnded }));
    });
    expect(end).toBe('dropped');
  });

  it('is told as broken when the connection breaks', async () => {
    const breakOff = (response: ServerResponse) => {
      response.writeHead(200, ended).write('a');
      setTimeout(() => response.destroy(), 20);
    };
    expect(await endsOf(breakOff, (body) => body.text())).toEqual(['broken']);
  });

  it('is told as dropped when the caller goes, stops reading, or is too late to read', async () => {
    const flood = (response: ServerResponse) => response.writeHead(200, endless).write(aLot);
    const ends = await Promise.all([
      endsOf(flood, (_, leave) => {
        leave();
        return undefined;
      }),
      endsOf(flood, async (body) => {
        for await (const _ of body) break;
      }),
      endsOf(flood, (body) => body.dump()),
      endsOf(flood, () => undefined, short),
    ]);
    expect(ends).toEqual([['dropped'], ['dropped'], ['dropped'], ['dropped']]);
  });

  it('is not told where there was no response', async () => {
    const ends: BodyEnd[] = [];
    const bodyEnded = (end: BodyEnd) => void ends.push(end);
    const { url, close } = await startLoopback(() => undefined);
    onTestFinished(close);
    expect(await endpointAt(url).send(attempt({ timeoutMs: 50, bodyEnded }))).toEqual({ kind: 'timeout' });
    await endpointAt(await unusedUrl()).send(attempt({ bodyEnded }));
    expect(ends).toEqual([]);
  });
});

describe('a target that answers and then falls silent', () => {
  it('opens its breaker, as one that does not answer', async () => {
    const { url, close } = await startLoopback((_, response) =>
      response.writeHead(200, { 'content-length': '10' }).write('abc'),
    );
    onTestFinished(close);
    const client = createSvcClient({
      self: 'orders@1',
      keys: testKeys,
      deadlineMs: 1_500,
      targets: { 'stock@1': { url, timeoutMs: 1_200 } },
    });
    onTestFinished(() => client.close());
    const read = async () => {
      const result = await client.call('stock@1');
      return result.ok ? result.response.body.text().catch(({ code }) => code) : result.denied.reason;
    };
    const became: string[] = [];
    for (let i = 0; i < 6; i += 1) became.push(await read());
    expect(became).toEqual([...Array.from({ length: 5 }, () => 'TARGET_TIMEOUT'), 'target-breaker']);
  });
});
