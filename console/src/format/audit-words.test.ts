import { describe, expect, it } from 'vitest';
import { aboutWords } from './audit-words.ts';

describe('what an act of an operator is about', () => {
  it('is a block, by policy, scope and the start of its hashes', () => {
    expect(aboutWords('lifted', 'login:K4:Td8XfF0cvG6vjfw2l5BLr0')).toBe('login K4 Td8XfF0c…');
    expect(aboutWords('placed', 'login:K5:Td8XfF0cvG6vjfw2l5BLr0:l0ceGB0844tWdnlOb2OXhq')).toBe(
      'login K5 Td8XfF0c… · l0ceGB08…',
    );
  });

  it.each([
    ['shadow:login:rotation.repeat', 'rule rotation.repeat of login, in shadow'],
    ['limit:user:l0ceGB0844tWdnlOb2OXhq', 'the limit of one user'],
    ['scenario:scraping', 'scenario scraping, off'],
  ])('is a pin, in the words of the live page: %s', (name, words) => {
    expect(aboutWords('pinned', name)).toBe(words);
    expect(aboutWords('unpinned', name)).toBe(words);
  });

  it('is what stands there where it is neither', () => {
    expect(aboutWords('placed', 'a-new-thing')).toBe('a-new-thing');
  });
});
