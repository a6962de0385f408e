import { describe, expect, it } from 'vitest';
import { readRepository, type SourceFile, toLines } from './repository.ts';
import {
  bareThrows,
  barrels,
  defaultExports,
  environmentReads,
  giantFiles,
  ownDurations,
  publicEntries,
  swallowedErrors,
  testTheatre,
  typeEscapes,
} from './smells.ts';

const repository = readRepository();
const packageJson = repository.find((file) => file.path === 'package.json')?.text ?? '';
const at = (path: string, text: string): SourceFile[] => [{ path, text }];
const path = 'src/guard/sample.ts';

describe('giant files', () => {
  it('are nowhere', () => {
    expect(toLines(giantFiles(repository))).toEqual([]);
  });

  it('begin at 401 lines', () => {
    expect(toLines(giantFiles(at(path, 'x;\n'.repeat(401))))).toEqual([`${path} has 401 lines`]);
    expect(giantFiles(at(path, 'x;\n'.repeat(400)))).toEqual([]);
  });
});

describe('barrels', () => {
  it('are nowhere but in the public entries', () => {
    expect(toLines(barrels(repository, publicEntries(packageJson)))).toEqual([]);
  });

  it('are known by re-exporting, and an entry by package.json', () => {
    const entries = publicEntries(
      '{"exports":{"./x":{"types":"./dist/x/index.d.ts","default":"./dist/x/index.js"}}}',
    );
    expect([...entries]).toEqual(['src/x/index.ts']);
    expect(
      toLines(barrels(at(path, `export { a } from './a.ts';\nexport { b } from './b.ts';`), entries)),
    ).toEqual([`${path}:1 re-exports, but the exports of package.json do not name it`]);
    expect(barrels(at('src/x/index.ts', `export { a } from './a.ts';`), entries)).toEqual([]);
    expect(toLines(barrels(at('src/x/index.ts', `export * from './a.ts';`), entries))).toEqual([
      'src/x/index.ts:1 export * from',
    ]);
    expect(barrels(at(path, 'export const a = 1; export { b };'), entries)).toEqual([]);
  });
});

describe('default exports', () => {
  it('are nowhere', () => {
    expect(toLines(defaultExports(repository))).toEqual([]);
  });

  it('are found, except in the files of tools', () => {
    expect(toLines(defaultExports(at(path, 'export default 1;')))).toEqual([`${path}:1 a default export`]);
    expect(defaultExports(at('vite.config.ts', 'export default 1;'))).toEqual([]);
  });
});

describe('bare errors', () => {
  it('are nowhere', () => {
    expect(toLines(bareThrows(repository))).toEqual([]);
  });

  it.each(['Error', 'TypeError', 'RangeError'])('are found: %s', (name) => {
    expect(toLines(bareThrows(at(path, `throw new ${name}('x');`)))).toEqual([
      `${path}:1 throws a bare ${name}: use Fault`,
    ]);
  });

  it('are not faults, nor errors passed on', () => {
    expect(bareThrows(at(path, `throw new Fault('STORE_FULL', 'x');`))).toEqual([]);
    expect(bareThrows(at(path, 'try { f(); } catch (error) { throw error; }'))).toEqual([]);
  });
});

describe('lengths of time', () => {
  it('are named once', () => {
    expect(toLines(ownDurations(repository))).toEqual([]);
  });

  it('are found where they are named anew', () => {
    expect(toLines(ownDurations(at(path, 'const MINUTE_MS = 60_000;')))).toEqual([
      `${path}:1 names MINUTE_MS anew: src/core/duration.ts has it`,
    ]);
    expect(ownDurations(at('src/core/duration.ts', 'export const MINUTE_MS = 60_000;'))).toEqual([]);
    expect(ownDurations(at(path, `import { MINUTE_MS } from '../core/duration.ts';`))).toEqual([]);
  });
});

describe('swallowed errors', () => {
  it('are nowhere', () => {
    expect(toLines(swallowedErrors(repository))).toEqual([]);
  });

  it.each([
    ['try { f(); } catch {}', 'an empty catch'],
    ['try { f(); } catch (error) { /* never mind */ }', 'an empty catch'],
    ['f().catch(() => {});', 'a catch that drops the error'],
    ['f().catch(() => undefined);', 'a catch that drops the error'],
  ])('are found: %s', (text, what) => {
    expect(toLines(swallowedErrors(at(path, text)))).toEqual([`${path}:1 ${what}`]);
  });

  it('are not errors that somebody hears of', () => {
    expect(swallowedErrors(at(path, 'f().catch((error) => report(error));'))).toEqual([]);
    expect(swallowedErrors(at(path, 'try { f(); } catch (error) { report(error); }'))).toEqual([]);
  });
});

describe('type escapes', () => {
  it('are nowhere', () => {
    expect(toLines(typeEscapes(repository))).toEqual([]);
  });

  it.each([
    ['const a = b as any;', 'as any'],
    ['const a = b as unknown as C;', 'as unknown as'],
    ['// @ts-ignore\nf();', '@ts-ignore'],
    ['// biome-ignore lint: x\nf();', 'biome-ignore'],
  ])('are found: %s', (text, what) => {
    expect(toLines(typeEscapes(at(path, text)))).toEqual([`${path}:1 ${what}`]);
  });

  it('are not narrowing casts, nor words in a text', () => {
    expect(typeEscapes(at(path, `const a = b as C; const d = 'as any @ts-ignore';`))).toEqual([]);
  });
});

describe('the environment', () => {
  it('is read in src/config alone', () => {
    expect(toLines(environmentReads(repository))).toEqual([]);
  });

  it('is found elsewhere', () => {
    expect(toLines(environmentReads(at(path, 'const home = process.env.HOME;')))).toEqual([
      `${path}:1 reads the environment: only src/config does`,
    ]);
    expect(environmentReads(at('src/config/environment.ts', 'const home = process.env.HOME;'))).toEqual([]);
  });
});

describe('test theatre', () => {
  it('is nowhere', () => {
    expect(toLines(testTheatre(repository))).toEqual([]);
  });

  it.each([
    [`vi.mock('./x.ts');`, 'vi.mock replaces a module'],
    ['expect(a).toBeDefined();', 'toBeDefined passes with nearly every value'],
    ['expect(a).not.toBeTruthy();', 'toBeTruthy passes with nearly every value'],
    [`it.skip('x', f);`, 'it.skip does not run, or keeps others from running'],
    [`describe.only('x', f);`, 'describe.only does not run, or keeps others from running'],
    [`test.concurrent.skip('x', f);`, 'test.concurrent.skip does not run, or keeps others from running'],
    [`it.todo('x');`, 'it.todo does not run, or keeps others from running'],
    [`xit('x', f);`, 'xit does not run, or keeps others from running'],
  ])('is found: %s', (text, what) => {
    expect(toLines(testTheatre(at('src/core/x.test.ts', text)))).toEqual([`src/core/x.test.ts:1 ${what}`]);
  });

  it('is not a test that runs where its server is', () => {
    expect(
      testTheatre(at('test/x.test.ts', `describe.skipIf(missing)('x', f); it.runIf(a)('y', f);`)),
    ).toEqual([]);
  });
});
