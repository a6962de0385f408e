import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { errorOf, orError } from './thrown.ts';

const failing = (thrown: unknown) => [
  () => {
    throw thrown;
  },
  () => Promise.reject(thrown),
];

describe('what an option throws', () => {
  it.each([new TypeError('broken'), { status: 401 }, 'a text', 42, true])('is handed on: %o', (thrown) => {
    expect(errorOf(thrown)).toBe(thrown);
  });

  it.each([undefined, null, 0, '', false, 'route', 'router'])(
    'is a fault where it is no error: %o',
    (thrown) => {
      const error = errorOf(thrown);
      expect(error).toBeInstanceOf(Fault);
      expect(error).toMatchObject({ code: 'INPUT_INVALID', cause: thrown });
      expect((error as Fault).message).toMatch(/^an option must throw an error, got /);
    },
  );

  it('is so at once or later', async () => {
    for (const ask of failing(null)) {
      await expect((async () => orError(ask))()).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    }
    for (const ask of failing('a text')) {
      await expect((async () => orError(ask))()).rejects.toBe('a text');
    }
  });

  it('leaves answers as they are, and at once where they are so', async () => {
    expect(orError(() => 1)).toBe(1);
    await expect(orError(async () => 2)).resolves.toBe(2);
  });
});
