import { describe, expect, it } from 'vitest';
import type { Answer } from './arrival.ts';
import type { NodeRequest, NodeResponse } from './node-messages.ts';
import { middlewareOf, type RefusalHandler } from './node-middleware.ts';

type Handler = RefusalHandler<NodeRequest, NodeResponse>;

const refusal: Answer = { status: 429, headers: [], body: '' };
const broken = new TypeError('The handler is broken.');

/** What `next` was told of one refused call. */
async function toldNext(enter: () => Answer | Promise<Answer>, handler: Handler): Promise<unknown[]> {
  const told: unknown[] = [];
  const request = {} as NodeRequest;
  middlewareOf(enter, handler)(request, {} as NodeResponse, (error) => told.push(error));
  await new Promise((resolve) => setImmediate(resolve));
  return told;
}

describe.each([
  ['at once', () => refusal],
  ['later', async () => refusal],
])('a refusal known %s', (_, enter) => {
  it.each<[string, Handler]>([
    [
      'throws',
      () => {
        throw broken;
      },
    ],
    ['rejects', async () => Promise.reject(broken)],
  ])('whose handler %s is an error of the framework', async (_, handler) => {
    expect(await toldNext(enter, handler)).toEqual([broken]);
  });

  it('does not go on once its handler has answered', async () => {
    expect(await toldNext(enter, () => {})).toEqual([]);
  });
});

const unfit = [undefined, null, 0, '', 'route', 'router'];

describe.each(unfit)('%j, which is no error', (thrown) => {
  it.each<[string, () => Answer | Promise<Answer>]>([
    [
      'thrown',
      () => {
        throw thrown;
      },
    ],
    ['rejected with', async () => Promise.reject(thrown)],
  ])('is a fault when %s before the call is decided on', async (_, enter) => {
    const [error, ...more] = await toldNext(enter, () => {});
    expect(more).toEqual([]);
    expect(error).toMatchObject({ code: 'INPUT_INVALID' });
    expect(error).toHaveProperty('cause', thrown);
  });

  it.each<[string, Handler]>([
    [
      'thrown',
      () => {
        throw thrown;
      },
    ],
    ['rejected with', async () => Promise.reject(thrown)],
  ])('is a fault when %s by who answers a refused call', async (_, handler) => {
    const [error, ...more] = await toldNext(() => refusal, handler);
    expect(more).toEqual([]);
    expect(error).toMatchObject({ code: 'INPUT_INVALID' });
  });
});
