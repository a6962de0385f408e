import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { migrations } from './migrate.ts';

it('runs every script of its folder, in the order of their numbers', () => {
  const folder = new URL('./migrations/', import.meta.url);
  const files = readdirSync(folder).sort();
  expect(migrations).toEqual(
    files.map((file) => ({
      version: Number.parseInt(file, 10),
      script: readFileSync(new URL(file, folder), 'utf8'),
    })),
  );
});
