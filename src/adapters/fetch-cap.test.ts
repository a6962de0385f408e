import { describe, expect, it } from 'vitest';
import { createCap } from '../concurrency/index.ts';
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
