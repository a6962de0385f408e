import { describe, expect, it } from 'vitest';
import { createCap, createCaps, gradientLimit } from '../concurrency/index.ts';
import { createLimiter } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { cap, limit } from './fetch/index.ts';
import { answerInSlot } from './fetch-cap.ts';

function slot() {
  const cap = createCap({ limit: 1 });
  const admission = cap.tryAdmit();
  if (!admission.admitted) throw new TypeError('A new cap has a free slot.');
  return { slot: admission, running: () => cap.status.running };
}

function handler() {
  let answer = (_: Response) => {};
  const answered = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  return { answered, answer };
}

describe('a handler in a slot', () => {
  it('keeps it until its answer has been read', async () => {
    const { slot: held, running } = slot();
    const caller = new AbortController();
    const response = await answerInSlot(held, 'GET', caller.signal, () => new Response('text'));
    expect(running()).toBe(1);
    expect(await response.text()).toBe('text');
    expect(running()).toBe(0);
  });

  it('keeps it while it works for a client that has left, and gives it back with the answer', async () => {
    const { slot: held, running } = slot();
    const caller = new AbortController();
    const { answered, answer } = handler();
    const response = answerInSlot(held, 'GET', caller.signal, () => answered);
    caller.abort();
    expect(running()).toBe(1);
    answer(new Response('for nobody'));
    await response;
    expect(running()).toBe(0);
  });

  it('gives it back when the client leaves an answer unread', async () => {
    const { slot: held, running } = slot();
    const caller = new AbortController();
    await answerInSlot(held, 'GET', caller.signal, () => new Response('unread'));
    expect(running()).toBe(1);
    caller.abort();
    expect(running()).toBe(0);
  });

  it('gives it back when the handler fails, and passes the failure on', async () => {
    const { slot: held, running } = slot();
    const failure = new TypeError('as told');
    const answer = answerInSlot(held, 'GET', new AbortController().signal, () => Promise.reject(failure));
    await expect(answer).rejects.toBe(failure);
    expect(running()).toBe(0);
  });

  it('gives it back at once where the body will not be read', async () => {
    const { slot: held, running } = slot();
    await answerInSlot(held, 'HEAD', new AbortController().signal, () => new Response('text'));
    expect(running()).toBe(0);
  });
});

describe('a limit behind a handler', () => {
  /** How the limit stands after calls that took 20 ms, and then calls of this handler that took so long. */
  async function standing(ms: number, method: string, answer: () => Response) {
    const clock = new VirtualClock();
    const limit = gradientLimit({ max: 10, minSamples: 2, windowMs: 1 });
    const capped = createCap({ limit, clock });
    const call = async (tookMs: number, handler: () => Response) => {
      const admission = capped.tryAdmit();
      if (!admission.admitted) throw new TypeError('There is a free slot.');
      const answered = new Promise<void>((resolve) => clock.after(tookMs, resolve)).then(handler);
      const never = new AbortController().signal;
      const response = answerInSlot(admission, method, never, () => answered);
      const read = response.then((given) => given.text()).catch(() => undefined);
      await clock.advance(tookMs);
      await read;
    };
    for (let i = 0; i < 4; i += 1) await call(20, () => new Response('row'));
    for (let i = 0; i < 2; i += 1) await call(ms, answer);
    return { limit: limit.current, quietMs: Math.exp(limit.state.quiet?.mean ?? 0) };
  }
  const error = () => new Response('no', { status: 503 });
  const fail = (): never => {
    throw new TypeError('as told');
  };

  it.each([
    ['GET', error],
    ['HEAD', error],
    ['GET', fail],
  ])(
    'learns nothing from a %s that errs at once, and comes down where it takes long',
    async (method, err) => {
      const before = { limit: 10, quietMs: expect.closeTo(20, 6) };
      expect(await standing(1, method, err)).toEqual(before);
      expect(await standing(2_000, method, err)).toEqual({ ...before, limit: 5 });
    },
  );
});

describe('an answer that makes another protocol of the connection', () => {
  // Node cannot make one; runtimes that can take none but the very object they gave.
  const upgrade = () => Object.defineProperty(new Response(null), 'status', { value: 101 });

  it('passes caps and limits as it is, and gives its slot back', async () => {
    const caps = createCaps({ routes: { read: { limit: 1, queue: 0 } } });
    const limiter = createLimiter({ store: createMemoryStore(), secret: 'sixteen bytes or more' });
    const response = upgrade();
    const capped = cap(caps)(() => response);
    const limited = limit(limiter, { peer: () => '203.0.113.7' })(capped);
    expect(await limited(new Request('http://here/socket'), undefined)).toBe(response);
    expect(caps.cap('read').status.running).toBe(0);
  });
});
