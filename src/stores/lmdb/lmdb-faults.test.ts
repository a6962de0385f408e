import { describe, expect, test } from 'vitest';
import { writeFault } from './lmdb-faults.ts';

describe('writeFault', () => {
  test.each([
    ['No space left on device: Attempting to write page', 'STORE_FULL'],
    ['File too large', 'STORE_FULL'],
    ['MDB_MAP_FULL: Environment mapsize limit reached', 'STORE_FULL'],
    ['Input/output error', 'STORE_FAILED'],
  ])('finds the reason of a failed commit: %s', async (message, code) => {
    const reason = new TypeError(message);
    const error = Object.assign(new TypeError('Commit failed'), { commitError: Promise.reject(reason) });
    expect(await writeFault(error)).toMatchObject({ code, cause: reason });
    expect(await writeFault(reason)).toMatchObject({ code, cause: reason });
  });

  test('takes an error without a reason for the reason', async () => {
    const error = Object.assign(new TypeError('Commit failed'), { commitError: Promise.resolve() });
    expect(await writeFault(error)).toMatchObject({ code: 'STORE_FAILED', cause: error });
    expect(await writeFault('odd')).toMatchObject({ code: 'STORE_FAILED', cause: 'odd' });
  });
});
