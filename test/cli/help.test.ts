import { describe, expect, it } from 'vitest';
import { cli } from './cli-run.ts';

const below = { blocks: ['list', 'lift', 'place', 'audit'], config: ['check'], keys: ['rotate'] };
const commands = [
  [],
  ...['serve', 'replay', 'compare', 'explain', 'drill', 'prove', 'blocks', 'config', 'keys', 'top'].map(
    (name) => [name],
  ),
  ...Object.entries(below).flatMap(([group, names]) => names.map((name) => [group, name])),
];

describe('help', () => {
  it.each(commands)('of "%s %s" shows an example', async (...words) => {
    const { code, stdout } = await cli([...words.filter((word) => typeof word === 'string'), '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples?:\n {2}\$ portcullis /);
  });
});
