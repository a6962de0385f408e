import { describe, expect, test } from 'vitest';
import { Fault } from '../../core/fault.ts';
import { endsConnection, faultOf, isTransient } from './sql-faults.ts';

const refusal = (code: string, severity = 'ERROR'): Error =>
  Object.assign(new TypeError('refused'), { code, severity });

describe('what PostgreSQL refuses with', () => {
  test.each([
    ['57014', 'STORE_TIMEOUT'],
    ['55P03', 'STORE_TIMEOUT'],
    ['25P03', 'STORE_TIMEOUT'],
    ['53100', 'STORE_FULL'],
    ['40001', 'STORE_CONFLICT'],
    ['40P01', 'STORE_CONFLICT'],
    ['42P01', 'STORE_FAILED'],
    ['57P01', 'STORE_FAILED'],
    ['25006', 'STORE_FAILED'],
  ])('SQLSTATE %s is %s', (state, code) => {
    const error = refusal(state);
    expect(faultOf(error)).toMatchObject({
      code,
      cause: error,
      message: `PostgreSQL refused with SQLSTATE ${state}.`,
    });
  });

  test.each([
    Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED' }),
    new TypeError('Connection terminated unexpectedly'),
    'nothing',
  ])('a lost connection is STORE_FAILED (%s)', (error) => {
    expect(faultOf(error)).toMatchObject({ code: 'STORE_FAILED', cause: error });
    expect(endsConnection(error)).toBe(true);
    expect(isTransient(error)).toBe(false);
  });

  test('a fault stays what it is and keeps its connection', () => {
    const fault = new Fault('INVARIANT_BROKEN', 'a bug');
    expect(faultOf(fault)).toBe(fault);
    expect(endsConnection(fault)).toBe(false);
  });

  test('only what the server has undone for others is tried again', () => {
    expect(['40001', '40P01', '23505', '57014'].map((state) => isTransient(refusal(state)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('a fatal refusal ends the connection, another one does not', () => {
    expect(endsConnection(refusal('57P01', 'FATAL'))).toBe(true);
    expect(endsConnection(refusal('57014'))).toBe(false);
  });

  test.each(['25P02', '25006'])('SQLSTATE %s, in which a connection stays, ends it too', (state) => {
    expect(endsConnection(refusal(state))).toBe(true);
  });
});
