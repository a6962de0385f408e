import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  beginRotation,
  finishRotation,
  makeKeyFile,
  newKeyFile,
  readKeyFile,
  writeKeyFile,
} from './key-file.ts';

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

  it('is read by the group that could read the one before it, and by nobody else', () => {
    const file = join(folder, 'keys.json');
    makeKeyFile(file, newKeyFile());
    const modes = [0o600, 0o640, 0o664, 0o400].map((mode) => {
      chmodSync(file, mode);
      writeKeyFile(file, newKeyFile());
      return statSync(file).mode & 0o777;
    });
    expect(modes).toEqual([0o600, 0o640, 0o640, 0o600]);
  });

  // Only root gives files away.
  if (process.getuid?.() === 0) {
    it('belongs to whom the one before it did, whoever rotates it', () => {
      const file = join(folder, 'keys.json');
      makeKeyFile(file, newKeyFile());
      chownSync(file, 1234, 1235);
      writeKeyFile(file, beginRotation(readKeyFile(file), 1));
      const { uid, gid } = statSync(file);
      expect({ uid, gid, files: readdirSync(folder) }).toEqual({
        uid: 1234,
        gid: 1235,
        files: ['keys.json'],
      });
    });
  }

  it('that cannot be read is told from one that is none', () => {
    expect(() => readKeyFile(folder)).toThrow(/: cannot be read \(EISDIR\)$/);
  });

  it('is not made in a folder that is not there', () => {
    expect(() => makeKeyFile(join(folder, 'none', 'keys.json'), newKeyFile())).toThrow(/ENOENT/);
  });
});
