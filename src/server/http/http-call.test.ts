import { getEventListeners, setMaxListeners } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HttpCall } from './http-call.ts';

function madeCall(ending: AbortSignal) {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const context = { addressOf: () => '192.0.2.1', isTrusted: () => false, ending };
  const input = { params: {}, caller: null, body: undefined };
  return { call: new HttpCall(request, response, '', input, context), response };
}

const hanging = (ending: AbortSignal) => getEventListeners(ending, 'abort').length;

describe('the signal of a call', () => {
  it('leaves nothing behind on that of the service, however many calls come', () => {
    const ending = new AbortController().signal;
    setMaxListeners(0, ending);
    const calls = Array.from({ length: 50 }, () => madeCall(ending));
    for (const { call } of calls) expect(call.signal).toBe(call.signal);
    expect(hanging(ending)).toBe(50);
    for (const { response } of calls) response.emit('close');
    expect(hanging(ending)).toBe(0);
    expect(calls.every(({ call }) => call.signal.aborted)).toBe(true);
  });

  it('aborts when the service ends', () => {
    const ending = new AbortController();
    const { call } = madeCall(ending.signal);
    const { signal } = call;
    expect(signal.aborted).toBe(false);
    ending.abort();
    expect(signal.aborted).toBe(true);
    expect(madeCall(ending.signal).call.signal.aborted).toBe(true);
  });

  it('is aborted where the client has gone before', () => {
    const { call, response } = madeCall(new AbortController().signal);
    response.destroy();
    expect(call.signal.aborted).toBe(true);
  });
});
