import { describe, expect, test } from 'vitest';
import { VERSION_WIDTH } from './envelope.ts';
import { createVersions } from './versions.ts';

describe('versions', () => {
  test('have one width and are never given twice, by one process or two', () => {
    const processes = [createVersions(), createVersions()];
    const given = processes.flatMap((next) => Array.from({ length: 5_000 }, next));
    expect(new Set(given).size).toBe(given.length);
    expect(given.filter((version) => !/^[\w-]+$/.test(version) || version.length !== VERSION_WIDTH)).toEqual(
      [],
    );
  });

  test('name the process and count', () => {
    const next = createVersions((bytes) => Buffer.alloc(bytes, 0xff));
    expect([next(), next()]).toEqual(['________10000000', '________10000001']);
  });
});
