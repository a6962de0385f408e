import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatheredBytes } from './gathered-bytes.ts';

describe('bytes that come in pieces', () => {
  it('are as if they had come in one', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
        const gathered = new GatheredBytes();
        for (const piece of pieces) gathered.add(Buffer.from(piece));
        const expected = Buffer.concat(pieces);
        expect(gathered.length).toBe(expected.length);
        expect(gathered.whole()).toEqual(expected);
      }),
    );
  });

  it('leave what they came in as it was', () => {
    const gathered = new GatheredBytes();
    const first = Buffer.from('ab').subarray(0, 1);
    gathered.add(first);
    gathered.add(Buffer.from('x'));
    expect(gathered.whole().toString()).toBe('ax');
    expect(first.toString()).toBe('a');
  });

  it('take no more than twice what they are, however small the pieces', () => {
    const gathered = new GatheredBytes();
    for (let n = 0; n < 20_000; n += 1) gathered.add(Buffer.of(n & 0xff));
    expect(gathered.whole().buffer.byteLength).toBeLessThanOrEqual(40_000);
  });

  it.each([
    ['a thousand of one byte', 1_000, 1, false],
    ['more than a thousand of one byte', 1_001, 1, true],
    ['very many of some bytes', 20_000, 16, false],
    ['very many of few bytes', 20_000, 15, true],
  ])('are crumbs or not: %s', (_, pieces, bytes, isInCrumbs) => {
    const gathered = new GatheredBytes();
    for (let n = 0; n < pieces; n += 1) gathered.add(Buffer.alloc(bytes));
    expect(gathered.isInCrumbs).toBe(isInCrumbs);
  });
});
