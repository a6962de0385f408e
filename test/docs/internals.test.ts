import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documents, root, textOf } from './blocks.ts';

/** Every folder of `src`, such as `stores/redis`. */
function sourceFolders(): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(join(root, 'src'), join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

/** What the tables of a page say of the folders in their first column. */
function purposes(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^\| (`.+?`) \| (.+?) \|/gm)].flatMap(([, names = '', purpose = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, purpose] as const),
    ),
  );
}

describe('the page of layers', () => {
  const said = purposes(textOf('docs/internals/layers.md'));

  it('says of every folder of src what it is for', () => {
    expect(sourceFolders().filter((folder) => (said.get(folder)?.split(' ').length ?? 0) < 3)).toEqual([]);
  });

  it('says the same of the folders beside src', () => {
    const inside = (folder: string) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter(
          (entry) => entry.isDirectory() && !/^\.|^(node_modules|dist|reports|coverage)$/.test(entry.name),
        )
        .map(({ name }) => (folder === '' ? name : `${folder}/${name}`));
    const folders = [...inside(''), ...inside('test'), ...inside('console/src')];
    const parents = ['src', 'test'];
    expect(folders.filter((folder) => !said.has(folder) && !parents.includes(folder))).toEqual([]);
  });

  it('speaks of no folder that is gone', () => {
    const isThere = (folder: string) =>
      [root, join(root, 'src')].some((home) => existsSync(join(home, folder)));
    expect([...said.keys()].filter((folder) => !isThere(folder))).toEqual([]);
  });

  it('would be caught otherwise', () => {
    expect(purposes('| `a`, `b/c` | what it is |\n| d | x |\n')).toEqual(
      new Map([
        ['a', 'what it is'],
        ['b/c', 'what it is'],
      ]),
    );
  });
});

/** Files that a walk names: `[\`core/fail.ts\`](../../../src/core/fail.ts)`. */
const fileLinks = (text: string): { name: string; target: string }[] =>
  [...text.matchAll(/\[`([^`]+)`\]\(([^)]+)\)/g)].map(([, name = '', target = '']) => ({ name, target }));

const walks = documents().filter((path) => path.startsWith('docs/internals/walks/'));

describe('the walks', () => {
  it('are those that the page of internals lists', () => {
    const index = textOf('docs/internals/README.md');
    expect(walks).toHaveLength(4);
    expect(walks.filter((path) => !index.includes(`](${relative('docs/internals', path)})`))).toEqual([]);
  });

  it.each(walks)('name files that are there, by the names they have: %s', (walk) => {
    const links = fileLinks(textOf(walk));
    expect(links.length).toBeGreaterThan(15);
    for (const { name, target } of links) {
      const path = join(dirname(walk), target);
      expect({ path, exists: existsSync(join(root, path)) }).toEqual({ path, exists: true });
      expect(path.endsWith(name)).toBe(true);
    }
  });

  it('name no lines, which would be wrong tomorrow', () => {
    expect(walks.filter((walk) => /\.tsx?(:|#L)\d/.test(textOf(walk)))).toEqual([]);
  });
});
