import { describe, expect, test } from 'vitest';
import { createPostgresStore, type PostgresPool, type PostgresStoreOptions } from './index.ts';
import { settingsOf } from './options.ts';

const connectionString = 'postgres://127.0.0.1/none';

describe('options of the PostgreSQL store', () => {
  test('have defaults', () => {
    const { onFault, ...settings } = settingsOf({ connectionString });
    expect(settings).toEqual({
      maxConnections: 8,
      schema: 'portcullis',
      deadlineMs: 50,
      sweepEveryWrites: 1_000,
      maxSweptRecords: 2_000,
    });
    expect(onFault).toBeTypeOf('function');
  });

  test.each([undefined, null, 'a place'])('are an object, not %j', (options) => {
    expect(() => createPostgresStore(options as unknown as PostgresStoreOptions)).toThrow(
      'options of the PostgreSQL store must be an object, got ',
    );
  });

  test.each<[string, PostgresStoreOptions]>([
    ['neither a pool nor a connectionString', {}],
    ['both', { connectionString, pool: { connect: () => Promise.reject(new TypeError()) } }],
    ['a pool that is none', { pool: {} as unknown as PostgresPool }],
    ['schema', { connectionString, schema: 'Upper' }],
    ['schema', { connectionString, schema: 'x"; DROP TABLE users; --' }],
    ['schema', { connectionString, schema: '' }],
    ['schema', { connectionString, schema: 'a'.repeat(51) }],
    ['deadlineMs', { connectionString, deadlineMs: 0 }],
    ['deadlineMs', { connectionString, deadlineMs: 1.5 }],
    ['deadlineMs', { connectionString, deadlineMs: 2 ** 30 }],
    ['deadlineMs', { connectionString, deadlineMs: Number.NaN }],
    ['maxConnections', { connectionString, maxConnections: 0 }],
    ['sweepEveryWrites', { connectionString, sweepEveryWrites: -1 }],
    ['maxSweptRecords', { connectionString, maxSweptRecords: 0 }],
    ['an unknown name', { connectionString, deadline: 5 } as PostgresStoreOptions],
  ])('are refused when they are wrong: %s', (_, options) => {
    expect(() => createPostgresStore(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
