import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultCatalogue } from '../../src/core/fault.ts';
import { catalogueGaps, deadLinks, decisionGaps } from './documents.ts';
import { readRepository, toLines } from './repository.ts';

const repository = readRepository();
const root = join(import.meta.dirname, '..', '..');
const textOf = (path: string) => repository.find((file) => file.path === path)?.text ?? '';

describe('the page of errors', () => {
  const page = 'docs/reference/errors.md';

  it('says what the catalogue says', () => {
    expect(toLines(catalogueGaps(faultCatalogue, textOf(page)))).toEqual([]);
  });

  it('is caught when a code is missing, gone or means something else', () => {
    const rows = '| `A_CODE` | One thing. | x |\n| `OLD_CODE` | Gone. | x |\n';
    expect(toLines(catalogueGaps({ A_CODE: 'Another thing.', NEW_CODE: 'New.' }, rows))).toEqual([
      `${page} says of A_CODE something else than: Another thing.`,
      `${page} has no row for NEW_CODE: New.`,
      `${page} has a row for OLD_CODE, which is gone`,
    ]);
    expect(catalogueGaps({ A_CODE: 'One thing.', OLD_CODE: 'Gone.' }, rows)).toEqual([]);
  });
});

describe('links', () => {
  it('lead somewhere', () => {
    expect(toLines(deadLinks(repository, (path) => existsSync(join(root, path))))).toEqual([]);
  });

  it('are caught when the file or the heading is not there', () => {
    const files = [
      { path: 'docs/a.md', text: '# A\n[b](b.md) [c](c.md#two-words) [d](#a) [e](#z)\n[f](c.md#three)' },
      { path: 'docs/c.md', text: '## Two `words`!\n```\n[x](nowhere.md)\n```\n' },
    ];
    expect(toLines(deadLinks(files, () => false))).toEqual([
      'docs/a.md:2 links to b.md, which is not there',
      'docs/a.md:2 links to #z, which is not there',
      'docs/a.md:3 links to c.md#three, which is not there',
    ]);
  });

  it('may leave the documents and the site', () => {
    const files = [{ path: 'docs/a.md', text: '[src](../src/) [web](https://example.org/x)' }];
    expect(deadLinks(files, (path) => path === 'src')).toEqual([]);
  });
});

describe('decision records', () => {
  it('are complete and listed', () => {
    expect(toLines(decisionGaps(repository))).toEqual([]);
  });

  it('are caught when they are not', () => {
    const files = [
      { path: 'docs/decisions/README.md', text: '[One](0001-one.md)' },
      { path: 'docs/decisions/0001-one.md', text: '# One\n\n## Context\n\n## Decision\n\n## Consequences\n' },
      { path: 'docs/decisions/two.md', text: '# Two\n\n## Context\n\n## Decision\n' },
    ];
    expect(toLines(decisionGaps(files))).toEqual([
      'docs/decisions/two.md is not in the index',
      'docs/decisions/two.md is not named NNNN-name.md',
      'docs/decisions/two.md has no part "Consequences"',
    ]);
  });
});
