import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginRotation, finishRotation, makeKeyFile, newKeyFile, readKeyFile } from './key-file.ts';

describe('a rotation of which nobody noted when it began', () => {
  const keys = { secret: 'c'.repeat(24), previousSecret: 'b'.repeat(24), rotatedAt: null };

  it('is ended by force alone, and another one begins only then', () => {
    expect(() => beginRotation(keys, 1)).toThrow('a rotation is running');
    expect(() => finishRotation(keys, 1, false)).toThrow(
      'nobody noted when the rotation began; devices not seen since would be forgotten',
    );
    const finished = finishRotation(keys, 1, true);
    expect(finished).toEqual({ secret: keys.secret, previousSecret: null, rotatedAt: null });
    expect(() => finishRotation(finished, 1, true)).toThrow('no rotation is running');
  });
});

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
