import { describe, expect, it } from 'vitest';
import { createNonces } from './nonces.ts';

describe('nonces', () => {
  it('never repeat, within a client or between two, and fit into a passport', () => {
    const clients = [createNonces(), createNonces()];
    const seen = new Set<string>();
    for (let i = 0; i < 5_000; i += 1) for (const next of clients) seen.add(next());
    expect(seen.size).toBe(10_000);
    expect([...seen].filter((nonce) => !/^[\w-]{1,32}$/.test(nonce))).toEqual([]);
  });
});
