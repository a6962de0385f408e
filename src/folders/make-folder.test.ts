import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { makeFolder, PRIVATE_FOLDER } from './make-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'portcullis-folders-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('makeFolder', () => {
  test('makes a folder and those above it, all of them with its mode', () => {
    makeFolder(join(root, 'a', 'b', 'c'), PRIVATE_FOLDER);
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
  });

  test('leaves one that is there as it is', () => {
    const path = join(root, 'open');
    mkdirSync(path, { mode: 0o755 });
    makeFolder(path, PRIVATE_FOLDER);
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });

  test.each([
    ['a file in its place', 'EEXIST', 'file'],
    ['a file above it', 'ENOTDIR', 'file/below'],
  ])('throws what the system says of %s', (_, code, path) => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolder(join(root, path), PRIVATE_FOLDER)).toThrow(expect.objectContaining({ code }));
  });

  test('throws, and does not try for ever, where nothing can be made', () => {
    const enoent = expect.objectContaining({ code: 'ENOENT' });
    expect(() => makeFolder('/proc/nowhere/data', PRIVATE_FOLDER)).toThrow(enoent);
  });

  test('takes a relative path without a folder as that of the present one', () => {
    expect(() => makeFolder('.', PRIVATE_FOLDER)).not.toThrow();
  });
});
