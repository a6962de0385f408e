import { transformWithOxc } from 'vite';
import { describe, expect, it } from 'vitest';
import { instrument } from './instrument.mjs';

/** What `f(...args)` gives with each mutant turned on, as `original → mutated: result`. */
async function results(text, ...args) {
  const { mutants, code } = instrument('sample.ts', text, 1);
  const { code: plain } = await transformWithOxc(code, 'sample.ts');
  const body = plain.replace('globalThis.__mutant', '__mutant').replace(/^export /gm, '');
  const f = new Function('__mutant', `${body}; return f;`);
  const run = (active) => {
    try {
      return JSON.stringify(f((id) => id === active)(...args)) ?? 'undefined';
    } catch (error) {
      return error.constructor.name;
    }
  };
  return {
    original: run(0),
    mutated: mutants.map((mutant) => `${mutant.original} → ${mutant.mutated}: ${run(mutant.id)}`),
  };
}

describe('instrument', () => {
  it('leaves the result alone while no mutant is turned on, and changes it by each', async () => {
    const text = `export function f(a: number, b: number): boolean {
      return a < b;
    }`;
    expect(await results(text, 1, 1)).toEqual({
      original: 'false',
      mutated: [
        'export function f(a: number, b: number): boolean { → { return; }: undefined',
        'a < b → a <= b: true',
        'a < b → a >= b: true',
      ],
    });
  });

  it('nests mutants and keeps the brackets of the source', async () => {
    const text = 'export const f = (a: number, b: number): number => a * (b + 2);';
    expect(await results(text, 3, 4)).toEqual({
      original: '18',
      mutated: ['a * (b + 2) → a / (b + 2): 0.5', 'b + 2 → b - 2: 6', '2 → 3: 21'],
    });
  });

  it('turns conditions both ways, also where the condition has mutants of its own', async () => {
    const text = "export const f = (a: number): string => (a === 1 ? 'one' : 'other');";
    expect(await results(text, 1)).toEqual({
      original: '"one"',
      mutated: [
        'a === 1 → true: "one"',
        'a === 1 → false: "other"',
        'a === 1 → a !== 1: "other"',
        '1 → 2: "other"',
        "'one' → '': \"\"",
        "'other' → '': \"one\"",
      ],
    });
  });

  it('leaves statements out without touching an else beside them', async () => {
    const text = `export const f = (a: boolean) => {
      let x = 'none';
      if (a) x = 'yes';
      else x = 'no';
      return x;
    };`;
    const { original, mutated } = await results(text, false);
    expect(original).toBe('"no"');
    expect(mutated).toContain('x = \'yes\'; → (nothing): "no"');
    expect(mutated).toContain('x = \'no\'; → (nothing): "none"');
  });

  it('forgets what is spread, swaps methods for their opposites and drops calls', async () => {
    const text = `export const f = (list: number[]) => ({
      ...{ kept: 1 },
      low: Math.min(...[...list, 7].filter((n) => n > 2)),
    });`;
    const { original, mutated } = await results(text, [1, 5]);
    expect(original).toBe('{"kept":1,"low":5}');
    expect(mutated).toContain('{ kept: 1 } → {}: {"low":5}');
    expect(mutated).toContain('list → []: {"kept":1,"low":7}');
    expect(mutated.filter((line) => line.endsWith(': {"kept":1,"low":1}'))).toHaveLength(2);
    expect(mutated.filter((line) => line.endsWith(': {"kept":1,"low":7}'))).toHaveLength(2);
  });

  it('keeps a chain with ?. one chain', async () => {
    const text = 'export const f = (a?: number[]) => a?.filter((n) => n > 1).length;';
    const { original, mutated } = await results(text, undefined);
    expect(original).toBe('undefined');
    expect(mutated.every((line) => line.endsWith(': undefined'))).toBe(true);
  });

  it('counts from the number it is given, and says where a mutant stands', () => {
    const { mutants } = instrument('src/core/x.ts', '\nexport const a =\n  b + c;', 40);
    expect(mutants).toMatchObject([
      { id: 40, path: 'src/core/x.ts', line: 3, column: 3, kind: 'arithmetic' },
    ]);
  });

  it.each([
    ['types', "export type A = 'x' | 5; export interface B { readonly a: 'y' }"],
    ['imports', "import { a } from './a.ts'; export { a } from './b.ts';"],
    ['keys', 'export const a = { "b": c, 5: d };'],
    [
      'messages of faults',
      "export const e = new Fault(code, 'what is wrong'); export const i = () => f(invariant(x, 'no y'));",
    ],
    ['super()', 'export class A extends B { constructor() { super(); } }'],
  ])('leaves %s alone', (_, text) => {
    expect(instrument('sample.ts', text, 1).mutants).toEqual([]);
  });
});
