import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServiceConfig } from '../config/read-service-config.ts';
import { deadlineOf } from './open-store.ts';

describe('the deadline of the store', () => {
  const deadlineIn = (env: Record<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-deadline-'));
    const { store, failure } = readServiceConfig({ env: { PORTCULLIS_DATA: folder, ...env } });
    rmSync(folder, { recursive: true });
    return deadlineOf(store, failure);
  };

  it('is a second for the embedded store, which has to reach a disk, and 50 ms for a server', () => {
    expect(deadlineIn({})).toBe(1_000);
    expect(deadlineIn({ PORTCULLIS_STORE: 'lmdb:/var/lib/somewhere' })).toBe(1_000);
    expect(deadlineIn({ PORTCULLIS_STORE: 'redis://127.0.0.1:6379' })).toBe(50);
    expect(deadlineIn({ PORTCULLIS_STORE: 'postgres://127.0.0.1/x' })).toBe(50);
  });

  it('is what the configuration says, for either', () => {
    expect([deadlineOf('lmdb', { deadlineMs: 7 }), deadlineOf('redis://x', { deadlineMs: 7 })]).toEqual([
      7, 7,
    ]);
    expect([deadlineOf('lmdb', { deadlineMs: null }), deadlineOf('redis://x', { deadlineMs: null })]).toEqual(
      [1_000, 50],
    );
  });
});
