import { describe, expect, test } from 'vitest';
import {
  isSameVersion,
  NO_WRITER,
  readVersion,
  VERSION_WIDTH,
  type Version,
  Versions,
  versionPattern,
  versionText,
} from './versions.ts';

function nextOf(versions: Versions): Version {
  const version = { writer: NO_WRITER, count: 0 };
  versions.renew(version);
  return version;
}

describe('versions', () => {
  test('have one width and are never given twice, by one process or two', () => {
    const processes = [new Versions(), new Versions()];
    const given = processes.flatMap((versions) =>
      Array.from({ length: 5_000 }, () => versionText(nextOf(versions))),
    );
    expect(new Set(given).size).toBe(given.length);
    expect(given.filter((text) => !/^[\w-]{8}\d{8}$/.test(text) || text.length !== VERSION_WIDTH)).toEqual(
      [],
    );
  });

  test('name the process and count', () => {
    const versions = new Versions((bytes) => Buffer.alloc(bytes, 0xff));
    expect([nextOf(versions), nextOf(versions)].map(versionText)).toEqual([
      '________10000000',
      '________10000001',
    ]);
  });

  test('are read as they were written', () => {
    for (const text of ['abcdefgh00000001', '-_-_-_-_10000999', 'ABCDEFGH99999999', '0000000000000000']) {
      expect(text).toMatch(new RegExp(`^${versionPattern}$`));
      const version = { writer: NO_WRITER, count: 0 };
      readVersion(`${text} and more`, version);
      expect(versionText(version)).toBe(text);
    }
  });

  test('are the same by writer and count', () => {
    const version = { writer: 'abcdefgh', count: 10_000_000 };
    expect(isSameVersion(version, { ...version })).toBe(true);
    expect(isSameVersion(version, { ...version, count: 10_000_001 })).toBe(false);
    expect(isSameVersion(version, { ...version, writer: 'abcdefgi' })).toBe(false);
  });
});
