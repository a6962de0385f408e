import { describe, expect, it } from 'vitest';
import { hypeWords, oddNames, privatePaths, roomNames } from './names.ts';
import { readRepository, toLines } from './repository.ts';

const repository = readRepository();
const named = (path: string) => [{ path, text: '' }];

describe('file names', () => {
  it('are kebab-case and say what is inside', () => {
    expect(toLines(oddNames(repository))).toEqual([]);
    expect(toLines(roomNames(repository))).toEqual([]);
  });

  it.each([
    'src/core/scoreCard.ts',
    'src/Core/score.ts',
    'src/core/score_card.ts',
    'test/tidy/Names.test.ts',
  ])('are odd: %s', (path) => {
    expect(toLines(oddNames(named(path)))).toEqual([`${path} is not kebab-case`]);
  });

  it.each(['src/core/utils.ts', 'src/shared/score.ts', 'src/core/score-helpers.ts', 'src/guard/base.ts'])(
    'say nothing: %s',
    (path) => {
      expect(toLines(roomNames(named(path)))).toEqual([`${path} is a room for anything: name what it does`]);
    },
  );

  it('are fine with dots, digits and words that merely begin alike', () => {
    const fine = ['src/core/ipv6-prefix.test.ts', 'src/core/database.ts', 'bench/runner.bench.ts'].flatMap(
      named,
    );
    expect(oddNames(fine)).toEqual([]);
    expect(roomNames(fine)).toEqual([]);
  });
});

describe('documents', () => {
  it('do not praise', () => {
    expect(toLines(hypeWords(repository))).toEqual([]);
  });

  it.each(['robust', 'Comprehensive', 'seamlessly', 'production-ready', 'blazing'])(
    'are caught at %s',
    (word) => {
      expect(toLines(hypeWords([{ path: 'README.md', text: `\nA ${word} guard.` }]))).toEqual([
        `README.md:2 "${word}" praises`,
      ]);
    },
  );
});

describe('the project', () => {
  it('names no path of one machine', () => {
    expect(toLines(privatePaths(repository))).toEqual([]);
  });

  it.each([
    ['', 'work', 'main'],
    ['', 'work', 'elsewhere'],
    ['shared', 'hooks'],
    ['', 'home', 'ann', ''],
  ])('is caught at %s/%s', (...parts) => {
    const path = parts.join('/');
    expect(toLines(privatePaths([{ path: 'docs/x.md', text: `see ${path}` }]))).toEqual([
      `docs/x.md:1 names ${path}`,
    ]);
  });
});
