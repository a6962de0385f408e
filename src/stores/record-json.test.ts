import { describe, expect, test } from 'vitest';
import { recordOfJson } from './record-json.ts';

describe('recordOfJson', () => {
  test('reads a record, its numbers as they were', () => {
    const record = { at: Number.MAX_SAFE_INTEGER, least: Number.MIN_SAFE_INTEGER, list: [0, -1] };
    expect(recordOfJson(JSON.stringify(record))).toEqual(record);
  });

  test.each([
    '',
    '{',
    'null',
    '1',
    '"at"',
    '[1]',
    '{}',
    '{"at":"1"}',
    '{"at":1.5}',
    '{"at":1e300}',
    '{"at":null}',
  ])('refuses %s', (json) => {
    expect(() => recordOfJson(json)).toThrow(expect.objectContaining({ code: 'RECORD_CORRUPT' }));
  });

  test('does not tell what it could not read', () => {
    expect(() => recordOfJson('"203.0.113.7"')).toThrow(
      'A stored record is a string of 11 characters, without the time of its write.',
    );
  });
});
