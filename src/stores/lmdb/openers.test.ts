import { describe, expect, it } from 'vitest';
import { lineOf, type Opener, withOpener } from './openers.ts';

const here = (id: string, pid = 10): Opener => ({ id, pid, host: 'here' });
const everybody = () => true;
const nobody = () => false;

describe('the openers of a file', () => {
  it('are listed, the latest last, each once', () => {
    const first = withOpener(undefined, here('a'), everybody);
    expect(first).toBe(lineOf(here('a')));
    const both = withOpener(first, here('b', 11), everybody);
    expect(both.split('\n')).toEqual([lineOf(here('a')), lineOf(here('b', 11))]);
    expect(withOpener(both, here('a'), everybody).split('\n')).toEqual([
      lineOf(here('b', 11)),
      lineOf(here('a')),
    ]);
  });

  it('are left out when they have gone', () => {
    const list = withOpener(lineOf(here('a', 9)), here('b'), everybody);
    expect(withOpener(list, here('c', 12), (id, pid) => id === 'a' && pid === 9).split('\n')).toEqual([
      lineOf(here('a', 9)),
      lineOf(here('c', 12)),
    ]);
  });

  it('of another host are never taken for gone', () => {
    const elsewhere = lineOf({ id: 'a', pid: 1, host: 'another host' });
    expect(withOpener(elsewhere, here('b'), nobody).split('\n')).toEqual([elsewhere, lineOf(here('b'))]);
  });

  it('are kept up to 32, of whom the last is always there', () => {
    let list = '';
    for (let n = 0; n < 1_000; n += 1) list = withOpener(list, here(`id-${n}`, n), everybody);
    expect(list.split('\n').length).toBe(32);
    expect(list.endsWith(lineOf(here('id-999', 999)))).toBe(true);
  });
});
