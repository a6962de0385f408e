import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, textOf } from './blocks.ts';

interface Promised {
  readonly promise: string;
  /** Names of tests, each with the file it is in. */
  readonly tests: readonly { readonly name: string; readonly file: string }[];
}

/** The rows of all tables below `promise | held by`. */
function promisesOf(text: string): Promised[] {
  return [...text.matchAll(/^\| promise \| held by \|\n\| --- \| --- \|\n((?:\|.*\n)+)/gm)]
    .flatMap(([, rows = '']) => rows.trimEnd().split('\n'))
    .map((row) => {
      const [, promise = '', held = ''] =
        row.split(' | ').length === 2 ? (/^\| (.*) \| (.*) \|$/.exec(row) ?? []) : [];
      const tests = [...held.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name = '', file = '']) => ({
        name,
        file,
      }));
      return { promise, tests };
    });
}

const promises = promisesOf(textOf('SECURITY.md'));

/** A test is there if its file says its name. */
const isHeld = ({ name, file }: { name: string; file: string }): boolean =>
  existsSync(join(root, file)) && textOf(file).includes(name);

describe('the promises of SECURITY.md', () => {
  it('are found, twenty at least, each with its tests', () => {
    expect(promises.length).toBeGreaterThanOrEqual(20);
    expect(promises.filter(({ promise, tests }) => promise === '' || tests.length === 0)).toEqual([]);
  });

  it.each(promises)('are held by tests of these names: $promise', ({ tests }) => {
    expect(tests.filter((test) => !isHeld(test))).toEqual([]);
  });

  it('would be caught otherwise', () => {
    const table = '| promise | held by |\n| --- | --- |\n| One | [a](x.test.ts), [b](y.test.ts) |\n';
    expect(promisesOf(table)).toEqual([
      {
        promise: 'One',
        tests: [
          { name: 'a', file: 'x.test.ts' },
          { name: 'b', file: 'y.test.ts' },
        ],
      },
    ]);
    expect(isHeld({ name: 'a test that is not there', file: 'test/engine/guarantees.test.ts' })).toBe(false);
    expect(isHeld({ name: 'a', file: 'x.test.ts' })).toBe(false);
  });
});
