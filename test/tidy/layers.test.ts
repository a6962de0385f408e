import { describe, expect, it } from 'vitest';
import { eagerLoads, importCycles, strayPeers, unknownFolders, wrongDirections } from './layers.ts';
import { readRepository, toLines } from './repository.ts';

const repository = readRepository();

describe('directions', () => {
  it('hold in the repository', () => {
    expect(toLines(wrongDirections(repository))).toEqual([]);
    expect(toLines(unknownFolders(repository))).toEqual([]);
  });

  it.each([
    ['src/core/score.ts', '../identity/keys.ts', 'core must not import identity'],
    ['src/core/score.ts', 'node:crypto', 'core imports nothing, not even node:crypto'],
    ['src/core/score.ts', 'ipaddr.js', 'core imports nothing, not even ipaddr.js'],
    ['src/identity/keys.ts', '../guard/guard.ts', 'identity must not import guard'],
    ['src/guard/guard.ts', '../stores/memory/index.ts', 'guard must not import stores/memory'],
    ['src/stores/redis/store.ts', '../memory/records.ts', 'stores/redis must not import stores/memory'],
    ['src/adapters/hono/index.ts', '../koa/index.ts', 'adapters/hono must not import adapters/koa'],
    [
      'src/adapters/hono/index.ts',
      '../../stores/memory/index.ts',
      'adapters/hono must not import stores/memory',
    ],
    ['src/limits/limiter.ts', '../config/schema.ts', 'limits must not import config'],
    ['src/server/serve.ts', '../cli/main.ts', 'server must not import cli'],
    ['src/index.ts', './server/index.ts', 'entry must not import server'],
    ['src/guard/guard.ts', '../../test/clock.ts', 'imports ../../test/clock.ts, outside of src'],
  ])('object to %s importing %s', (path, from, what) => {
    expect(toLines(wrongDirections([{ path, text: `\nimport { x } from '${from}';\n` }]))).toEqual([
      `${path}:2 ${what}`,
    ]);
  });

  it.each([
    ['src/guard/guard.ts', '../stores/store.ts'],
    ['src/guard/guard.ts', 'node:events'],
    ['src/core/score.ts', './ladder.ts'],
    ['src/stores/redis/store.ts', '../store.ts'],
    ['src/stores/redis/store.ts', './commit.ts'],
    ['src/index.ts', './stores/memory/index.ts'],
    ['src/cli/main.ts', '../server/index.ts'],
    ['src/core/score.test.ts', 'vitest'],
  ])('let %s import %s', (path, from) => {
    expect(wrongDirections([{ path, text: `import { x } from '${from}';` }])).toEqual([]);
  });

  it('see type imports, re-exports and dynamic imports too', () => {
    const path = 'src/core/score.ts';
    const of = (text: string) => wrongDirections([{ path, text }]).length;
    expect(of(`import type { X } from '../guard/x.ts';`)).toBe(1);
    expect(of(`export { x } from '../guard/x.ts';`)).toBe(1);
    expect(of(`const x = import('../guard/x.ts');`)).toBe(1);
  });

  it('object to a folder that nobody has placed', () => {
    expect(toLines(unknownFolders([{ path: 'src/attic/x.ts', text: '' }]))).toEqual([
      'src/attic/x.ts lies in a folder without a line in the table of layers',
    ]);
  });
});

describe('cycles', () => {
  it('are nowhere in the repository', () => {
    expect(toLines(importCycles(repository))).toEqual([]);
  });

  it('are found, and named with the whole chain', () => {
    const cycle = [
      { path: 'src/core/a.ts', text: `import { b } from './b.ts';` },
      { path: 'src/core/b.ts', text: `import { c } from './c.ts';` },
      { path: 'src/core/c.ts', text: `import type { B } from './b.ts';` },
    ];
    expect(toLines(importCycles(cycle))).toEqual([
      'src/core/b.ts imports itself: src/core/b.ts → src/core/c.ts → src/core/b.ts',
    ]);
  });
});

describe('the command line', () => {
  const main = { path: 'src/cli/main.ts', text: `import { add } from './replay/command.ts';` };
  const command = (text: string) => [main, { path: 'src/cli/replay/command.ts', text }];

  it('loads what a command does once it is called', () => {
    expect(toLines(eagerLoads(repository))).toEqual([]);
  });

  it('is found where it loads that for every command, however far away', () => {
    expect(toLines(eagerLoads(command(`import { x, type Y } from '../../guard/x.ts';`)))).toEqual([
      'src/cli/replay/command.ts:1 loads ../../guard/x.ts for every command',
    ]);
  });

  it.each([
    `import type { X } from '../../guard/x.ts';`,
    `import { type X, type Y } from '../../guard/x.ts';`,
    `const { x } = await import('../../guard/x.ts');`,
    `import { x } from '../../core/x.ts';`,
  ])('may say %s', (text) => {
    expect(eagerLoads(command(text))).toEqual([]);
  });
});

describe('drivers and frameworks', () => {
  it('stay in their folders', () => {
    expect(toLines(strayPeers(repository))).toEqual([]);
  });

  it('are found elsewhere, also by a subpath', () => {
    expect(
      toLines(strayPeers([{ path: 'src/guard/x.ts', text: `import { Hono } from 'hono/tiny';` }])),
    ).toEqual(['src/guard/x.ts:1 hono/tiny belongs into src/adapters/hono/']);
    expect(strayPeers([{ path: 'src/adapters/hono/x.ts', text: `import { Hono } from 'hono';` }])).toEqual(
      [],
    );
  });
});
