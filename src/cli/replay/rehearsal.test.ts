import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWorthRehearsing, rehearse } from './rehearsal.ts';

describe('the rehearsal of a replay', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-rehearsal-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('comes before long files and before what nobody knows the length of', () => {
    const file = join(folder, 'events.jsonl');
    writeFileSync(file, '');
    expect(isWorthRehearsing(file)).toBe(false);
    truncateSync(file, 2 ** 22);
    expect(isWorthRehearsing(file)).toBe(true);
    expect(isWorthRehearsing('-')).toBe(true);
    expect(isWorthRehearsing(join(folder, 'there is none'))).toBe(false);
  });

  test('decides events that are all good', async () => {
    await expect(rehearse()).resolves.toBeUndefined();
  });
});
