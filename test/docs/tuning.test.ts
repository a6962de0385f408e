import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cli } from '../cli/cli-run.ts';
import { blocksIn, root, textOf } from './blocks.ts';

const page = 'docs/guides/tuning.md';
const blocks = blocksIn(page, textOf(page));
const folder = mkdtempSync(join(tmpdir(), 'portcullis-tuning-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const day = join(root, 'examples', 'sample-day.jsonl');

it('the guide on tuning shows what its change does to the bundled day', async () => {
  const next = join(folder, 'next.yaml');
  writeFileSync(next, blocks.find(({ language }) => language === 'yaml')?.code ?? '');
  const { code, stdout } = await cli(['compare', '-', next, day]);
  expect(code).toBe(1);
  const [, difference = '', curve = ''] = blocks
    .filter(({ language }) => language === 'text')
    .map((block) => block.code);
  const shown = [...difference.trim().split('\n'), ...curve.trim().split('\n')];
  expect(shown).toHaveLength(3);
  expect(shown.filter((line) => !stdout.includes(line))).toEqual([]);
});
