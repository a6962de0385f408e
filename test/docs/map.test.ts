import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, textOf } from './blocks.ts';

const linksOf = (document: string): string[] =>
  [...textOf(document).matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) =>
    posix.join(posix.dirname(document), target),
  );

const maps = ['docs/README.md', 'docs/decisions/README.md'];
const pages = documents().filter((path) => path.startsWith('docs/') && !maps.includes(path));

describe('the map of the documents', () => {
  const listed = new Set(maps.flatMap(linksOf));

  it('has every page', () => {
    expect(pages.length).toBeGreaterThan(40);
    expect(pages.filter((page) => !listed.has(page))).toEqual([]);
  });

  it('says something of each in its line', () => {
    const rows = textOf('docs/README.md')
      .split('\n')
      .filter((line) => line.startsWith('|') && line.includes(']('));
    expect(rows.filter((row) => (row.split(' | ')[1]?.split(' ').length ?? 0) < 3)).toEqual([]);
  });
});

describe('every page', () => {
  it.each(documents())('begins with its title and has no other of that rank: %s', (page) => {
    const prose = textOf(page).replaceAll(/^```.*?^```$/gms, '');
    expect(prose.startsWith('# ')).toBe(true);
    expect(prose.match(/^# /gm)).toHaveLength(1);
  });
});
