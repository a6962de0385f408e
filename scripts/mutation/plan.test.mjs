import { describe, expect, it } from 'vitest';
import { plan } from './plan.mjs';

const test = (file, name, over) => ({ file, name, ms: 1, loaded: {}, hits: {}, ...over });
const nobody = () => false;

describe('plan', () => {
  it('chooses the tests that come by, by name', () => {
    const tests = [
      test('a', 'one', { hits: { 7: 3 }, ms: 20 }),
      test('a', 'two', {}),
      test('b', 'three', { hits: { 7: 1 } }),
    ];
    expect(plan([{ id: 7 }], tests, nobody)).toEqual({
      orders: [{ active: 7, hitLimit: 1_400, files: ['a', 'b'], names: ['one', 'three'], limitMs: 15_210 }],
      uncovered: [],
    });
  });

  it('chooses a whole file where loading it comes by', () => {
    const tests = [test('a', 'one', { loaded: { 7: 1 } }), test('a', 'two', {}), test('b', 'three', {})];
    const [order] = plan([{ id: 7 }], tests, nobody).orders;
    expect(order).toMatchObject({ files: ['a'], names: null, hitLimit: 1_100 });
  });

  it('puts the tests beside the mutant first', () => {
    const tests = [test('a', 'one', { hits: { 7: 1 } }), test('b', 'two', { hits: { 7: 1 } })];
    const [order] = plan([{ id: 7 }], tests, (file) => file === 'b').orders;
    expect(order.files).toEqual(['b', 'a']);
  });

  it('names what no test comes by', () => {
    expect(plan([{ id: 7 }], [test('a', 'one', { hits: { 8: 1 } })], nobody)).toEqual({
      orders: [],
      uncovered: [{ id: 7 }],
    });
  });
});
