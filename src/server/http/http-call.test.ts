import { getEventListeners, setMaxListeners } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HttpCall } from './http-call.ts';

const shown = { address: '192.0.2.1', isTranslated: false, asShown: '192.0.2.1' };

function madeCall(ending: AbortSignal, search = '') {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const context = { shownBy: () => shown, isTrusted: () => false, ending };
  const input = { params: {}, caller: null, body: undefined };
  return { call: new HttpCall(request, response, search, input, context), response };
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

describe('the query of a call', () => {
  const queryOf = (search: string) => [...madeCall(new AbortController().signal, search).call.query];

  it('is what URLSearchParams reads', () => {
    for (const search of ['', '?', '?a', '?a=1&a=2&&b=', '?a+b=%C3%A9%2B&=x', '?deny=403?&x=a=b']) {
      expect(queryOf(search)).toEqual([...new URLSearchParams(search)]);
    }
  });

  it('that is not well encoded stays as it was sent: an exception for each field would hold up everybody', () => {
    expect(queryOf('?%ff&deny=40%33&x=%41%zz')).toEqual([
      ['%ff', ''],
      ['deny', '403'],
      ['x', '%41%zz'],
    ]);
  });
});
