import { describe, expect, test } from 'vitest';
import { tagOf } from './group-tag.ts';

describe('tagOf', () => {
  test.each([
    ['portcullis:live:login:1:K4:{abc}', 'abc'],
    ['portcullis:live:login:1:K2:{abc}:def', 'abc'],
    ['a{b}{c}', 'b'],
    ['a{b{c}d}', 'b{c'],
    ['no braces', 'no braces'],
    ['empty {} braces {x}', 'empty {} braces {x}'],
    ['open {brace', 'open {brace'],
    ['close }brace', 'close }brace'],
  ])('of %s is %s', (text, tag) => {
    expect(tagOf(text)).toBe(tag);
  });
});
