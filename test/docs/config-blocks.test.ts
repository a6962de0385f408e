import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../src/config/document.ts';
import { problemText } from '../../src/config/problem.ts';
import { checkDocument } from '../../src/config/read-service-config.ts';

const root = new URL('../../', import.meta.url);
const pages = ['docs/reference/config.md', 'docs/guides/configuration.md', 'docs/reference/policy-file.md'];

const blocks = pages.flatMap((page) => {
  const text = readFileSync(new URL(page, root), 'utf8');
  return [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length + 1}`,
    code,
  }));
});

describe('configurations in documents', () => {
  it('are there', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(4);
  });

  it.each(blocks)('are taken as they stand: $place', ({ place, code }) => {
    const { problems } = checkDocument(parseDocument(code, place), { folder: '/etc/portcullis', env: {} });
    expect(problems.map(problemText)).toEqual([]);
  });
});
