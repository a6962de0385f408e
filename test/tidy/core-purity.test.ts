import { describe, expect, it } from 'vitest';
import { impurities } from './core-purity.ts';
import { readRepository, toLines } from './repository.ts';

const inCore = (text: string, path = 'src/core/sample.ts') => toLines(impurities([{ path, text }]));

describe('the core', () => {
  it('is pure in the repository', () => {
    expect(toLines(impurities(readRepository()))).toEqual([]);
  });

  it.each([
    ['const t = Date.now();', 'Date in the core'],
    ['const t = new Date();', 'new Date in the core'],
    ['const r = Math.random();', 'Math.random in the core'],
    ['setTimeout(() => 1, 5);', 'setTimeout() in the core'],
    ['const e = process.env.HOME;', 'process in the core'],
    ['const t = performance.now();', 'performance in the core'],
    ['const u = crypto.randomUUID();', 'crypto in the core'],
    ['const a = async () => 1;', 'async in the core'],
    ['async function a() {}', 'async in the core'],
    ['await x;', 'await in the core'],
    ['const p = Promise.resolve(1);', 'Promise in the core'],
    ['const m = import("./x.ts");', 'dynamic import in the core'],
  ])('may not say %s', (text, what) => {
    expect(inCore(`\n${text}`)).toEqual([`src/core/sample.ts:2 ${what}`]);
  });

  it('may use the rest of Math, and the words in comments and texts', () => {
    expect(inCore(`// await Date.now()\nconst x = Math.max(1, 2); const y = 'process.env';`)).toEqual([]);
  });

  it('is judged without its tests, and alone', () => {
    expect(inCore('await x;', 'src/core/sample.test.ts')).toEqual([]);
    expect(inCore('await x;', 'src/guard/sample.ts')).toEqual([]);
  });
});
