import { describe, expect, test } from 'vitest';
import { accountKind, deviceKind } from '../core/record-kinds.ts';
import { cleanStanding, type Standing } from '../core/standing.ts';
import { jsonOfRecord, recordOfJson } from './record-json.ts';

describe('recordOfJson', () => {
  test('reads a record, its numbers as they were', () => {
    const record = { at: Number.MAX_SAFE_INTEGER, least: Number.MIN_SAFE_INTEGER, list: [0, -1] };
    expect(recordOfJson(JSON.stringify(record))).toEqual(record);
  });

  test('gives back what nothing is known of as the one that all share, in devices too, and writes it as null', () => {
    const blocked = { ...cleanStanding, hardLevel: 2, hardUntil: 9 };
    const device = (standing: Standing) => ({ id: 'd', standing, failures: [] });
    const record = { at: 1, standing: cleanStanding, devices: [device(blocked), device(cleanStanding)] };
    const json = jsonOfRecord(record, undefined);
    expect(json).toContain('"at":1,"standing":null,');
    const read = recordOfJson(json) as typeof record;
    expect(read).toEqual(record);
    expect(read.standing).toBe(cleanStanding);
    expect(read.devices[1]?.standing).toBe(cleanStanding);
  });

  test('writes a record in the form of its key, and reads it in the form that it names', () => {
    const record = { ...deviceKind.make(), at: 7, dilutedAt: 5 };
    const json = jsonOfRecord(record, 'D');
    expect(json).toBe('{"form":"D","at":7,"dilutedAt":2}');
    expect(recordOfJson(json)).toEqual(record);
  });

  test('reads one that was written out in full in the form of its key', () => {
    const blocked = { ...cleanStanding, hardLevel: 2, hardAt: 3, hardUntil: 9 };
    const record = {
      ...accountKind.make(),
      at: 7,
      standing: blocked,
      devices: [{ id: 'd', standing: cleanStanding, failures: [5] }],
      softs: [1, 2],
    };
    expect(recordOfJson(JSON.stringify(record), 'K4')).toEqual(record);
  });

  test.each([
    ['{"at":1,"form":"K1"}', 'K4'],
    ['{"at":1,"form":"book"}', 'D'],
    ['{"at":1}', 'K4'],
    ['{"at":1,"standing":7,"bucket":{"tatMs":0,"tatUnits":0}}', 'K3'],
    ['{"at":1,"standing":null,"bucket":{"tatMs":"x","tatUnits":0}}', 'K3'],
    ['{"at":1,"devices":{}}', 'book'],
    ['{"at":1,"devices":[null]}', 'book'],
    ['{"at":1,"pins":{}}', 'pins'],
    ['{"at":1,"pins":[{"kind":"limit","id":"a","by":"b","why":"c","from":1,"until":2}]}', 'pins'],
    ['{"at":1,"acts":5}', 'audit'],
  ])('refuses %s under a key of the form %s', (json, form) => {
    expect(() => recordOfJson(json, form)).toThrow(expect.objectContaining({ code: 'RECORD_CORRUPT' }));
  });

  test('reads one that was written out in full', () => {
    expect(recordOfJson(JSON.stringify({ at: 1, standing: { ...cleanStanding } }))).toEqual({
      at: 1,
      standing: cleanStanding,
    });
  });

  test.each(['[null]', '[1]', '[{}]', '{}', 'null'])('reads devices that are %s as they are', (devices) => {
    expect(recordOfJson(`{"at":1,"devices":${devices}}`)).toEqual({ at: 1, devices: JSON.parse(devices) });
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
    '{"at":1,"form":"K9"}',
    '{"at":1,"form":null}',
    '{"at":1,"form":"D","dilutedAt":"x"}',
  ])('refuses %s', (json) => {
    expect(() => recordOfJson(json)).toThrow(expect.objectContaining({ code: 'RECORD_CORRUPT' }));
  });

  test('does not tell what it could not read', () => {
    expect(() => recordOfJson('"203.0.113.7"')).toThrow(
      'A stored record is a string of 11 characters, without the time of its write.',
    );
  });
});
