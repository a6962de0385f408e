import { describe, expect, it } from 'vitest';
import { RunningBlocks } from './running-blocks.ts';

describe('running blocks', () => {
  const blocks = new RunningBlocks();
  blocks.note({ ip: '2001:db8::1' }, 1_000, { level: 3, scope: 'K1' });
  blocks.note({ ip: '192.0.2.1', user: 'ann' }, 2_000, { level: 2, scope: 'K4' });

  it.each([
    ['the same network', { ip: '2001:db8::2', user: null }, 1_000, 3],
    ['a user elsewhere', { ip: '198.51.100.1', user: 'ann' }, 2_000, 2],
  ])('are known from %s', (_, caller, until, level) => {
    expect(blocks.find(caller, until)).toMatchObject({ level });
  });

  it.each([
    ['another network', { ip: '2001:db8:0:1::2' }, 1_000],
    ['another user', { ip: '198.51.100.1', user: 'bob' }, 2_000],
    ['a block that ends at another time', { ip: '2001:db8::1' }, 1_001],
  ])('are not those of %s', (_, caller, until) => {
    expect(blocks.find(caller, until)).toBeNull();
  });
});
