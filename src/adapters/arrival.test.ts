import { describe, expect, it } from 'vitest';
import { type Arrival, requestIdFor } from './arrival.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function arrivalWith(inbound: string | undefined, rest: Partial<Arrival> = {}): Arrival {
  const header = (name: string) => (name === 'x-request-id' ? inbound : undefined);
  return { request: {}, method: 'GET', path: '/', peer: null, header, ...rest };
}

const answerWith = (id: unknown) => ({
  getHeader: (name: string) => (name === 'x-request-id' ? id : undefined),
  removeHeader: () => {},
});

describe('the id of a request', () => {
  it('is its own, whatever the answer carries', () => {
    expect(requestIdFor(arrivalWith('req-1'))).toBe('req-1');
    expect(requestIdFor(arrivalWith('req-1', { answer: answerWith('other') }))).toBe('req-1');
  });

  it.each([undefined, '', 'not sane', 'x'.repeat(129)])(
    'is what an earlier gate gave it, where it has %j',
    (inbound) => {
      expect(requestIdFor(arrivalWith(inbound, { answer: answerWith('given') }))).toBe('given');
    },
  );

  it.each([undefined, 7, ['a', 'b'], 'not sane'])('is new where the answer carries %j', (given) => {
    expect(requestIdFor(arrivalWith(undefined, { answer: answerWith(given) }))).toMatch(uuid);
  });

  it('is the same at two gates where answers cannot be read', () => {
    const request = {};
    const first = requestIdFor(arrivalWith(undefined, { request }));
    expect(first).toMatch(uuid);
    expect(requestIdFor(arrivalWith(undefined, { request }))).toBe(first);
    expect(requestIdFor(arrivalWith(undefined))).not.toBe(first);
  });
});
