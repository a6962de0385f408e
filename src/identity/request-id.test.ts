import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestIdOf } from './request-id.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('a request id', () => {
  it.each(['a', 'req-42', '!~', 'x'.repeat(128)])('is kept when it is sane: %s', (id) => {
    expect(requestIdOf(id)).toBe(id);
  });

  it.each(['', 'x'.repeat(129), 'a b', 'a\n', 'é', '\u0000', null, undefined])(
    'is new otherwise: %j',
    (id) => {
      expect(requestIdOf(id)).toMatch(uuid);
    },
  );

  it('is made as told', () => {
    expect(requestIdOf('a b', () => 'made')).toBe('made');
    expect(requestIdOf('given', () => 'made')).toBe('given');
  });

  it('is always safe to write into a header', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }), (inbound) => {
        expect(requestIdOf(inbound)).toMatch(/^[!-~]{1,128}$/);
      }),
    );
  });
});
