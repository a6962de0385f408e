import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readServiceConfig } from '../../config/read-service-config.ts';
import { createGuard } from '../../index.ts';
import { createLimiter } from '../../limits/index.ts';
import { createMemoryStore } from '../../stores/memory/index.ts';
import type { Store } from '../../stores/store.ts';
import { createLog } from '../../telemetry/log.ts';
import { TokenBook } from '../http/token-book.ts';
import { lentStore } from '../live-guard.ts';
import { openObservation } from '../observation.ts';
import type { RouteCall } from '../route.ts';
import { openKratosRoom } from './kratos-room.ts';

const secret = 'a secret of sixteen bytes or more';
const ip = '127.0.0.1';

/** A memory store that takes its time for a step, as a flush to a disk does. */
function slowStore(ms: number): Store {
  const memory = createMemoryStore();
  const slow = <T>(step: () => Promise<T>) =>
    new Promise<T>((resolve) => setTimeout(() => resolve(step()), ms));
  return {
    ...lentStore(memory),
    immediate: undefined,
    viewNow: undefined,
    transact: (keys, step) => slow(() => memory.transact(keys, step)),
  };
}

describe('login backoff on the embedded store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-kratos-'));
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });

  /** The answer to a login while a step of the store takes so long. */
  async function loginOn(stepMs: number): Promise<unknown> {
    const path = join(folder, 'portcullis.json');
    const kratos = { upstreamUrl: 'http://127.0.0.1:4433', proxy: { enabled: false } };
    writeFileSync(path, JSON.stringify({ kratos }));
    const config = readServiceConfig({ path, env: {} });
    const store = slowStore(stepMs);
    const log = createLog({ level: 'silent' });
    const room = await openKratosRoom({
      config,
      store,
      secrets: { secret },
      guard: createGuard({ secret, store: lentStore(store) }),
      limiter: createLimiter({ secret, store, warn: () => {} }),
      scenarios: () => null,
      tokens: new TokenBook([]),
      pinned: () => null,
      observation: openObservation(config, log, '0.0.0'),
    });
    const route = room?.routes?.find(({ path: of }) => of.endsWith('before-login'));
    const body = Buffer.from(JSON.stringify({ identifier: 'a@example.com', client_ip: '203.0.113.9' }));
    const call = { ip, headers: {}, body } as Partial<RouteCall> as RouteCall;
    const answer = Promise.resolve(route?.handle(call));
    await vi.advanceTimersByTimeAsync(2_000);
    await room?.close?.();
    return (await answer)?.body;
  }

  it('waits for a flush as long as decisions do', async () => {
    expect(await loginOn(900)).toMatchObject({ allowed: true, identifier_attempts: 1 });
  });

  it('waits no longer', async () => {
    expect(await loginOn(1_100)).toMatchObject({ allowed: false });
  });
});
