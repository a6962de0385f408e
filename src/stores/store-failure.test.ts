import { describe, expect, it } from 'vitest';
import { Fault, type FaultCode } from '../core/fault.ts';
import { isPassingFailure, isStoreFailure } from './store-failure.ts';

const verdicts = (code: FaultCode) => {
  const fault = new Fault(code, 'as told');
  return [isStoreFailure(fault), isPassingFailure(fault)];
};

describe('a failure of the store', () => {
  it.each<FaultCode>(['STORE_FAILED', 'STORE_TIMEOUT', 'STORE_CONFLICT', 'STORE_FULL'])(
    'is %s, and passes',
    (code) => {
      expect(verdicts(code)).toEqual([true, true]);
    },
  );

  it('is one of a closed store, which does not come back', () => {
    expect(verdicts('STORE_CLOSED')).toEqual([true, false]);
  });

  it.each<FaultCode>(['RECORD_CORRUPT', 'INPUT_INVALID', 'INVARIANT_BROKEN'])('is not %s', (code) => {
    expect(verdicts(code)).toEqual([false, false]);
  });

  it('is nothing that is thrown by others, whatever it says', () => {
    expect(isStoreFailure(Object.assign(new TypeError('no'), { code: 'STORE_FAILED' }))).toBe(false);
  });
});
