import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeKeyFile, newKeyFile, readKeyFile } from './key-file.ts';

describe('a key file that is made', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-keys-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is the first one, whoever else makes one at the same time', () => {
    const file = join(folder, 'keys.json');
    const [first, second] = [newKeyFile(), newKeyFile()];
    expect([makeKeyFile(file, first), makeKeyFile(file, second)]).toEqual([true, false]);
    expect(readKeyFile(file)).toEqual(first);
  });

  it('can be read by its owner alone, and nothing lies beside it', () => {
    const file = join(folder, 'keys.json');
    makeKeyFile(file, newKeyFile());
    makeKeyFile(file, newKeyFile());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('is not made in a folder that is not there', () => {
    expect(() => makeKeyFile(join(folder, 'none', 'keys.json'), newKeyFile())).toThrow(/ENOENT/);
  });
});
