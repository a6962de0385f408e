import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readServiceConfig } from '../../config/read-service-config.ts';
import { systemClock } from '../../guard/failure/clock.ts';
import { createGuard } from '../../index.ts';
import { createLimiter } from '../../limits/index.ts';
import { createMemoryStore } from '../../stores/memory/index.ts';
import type { Store } from '../../stores/store.ts';
import { createLog } from '../../telemetry/log.ts';
import { createFaultyStore } from '../../testing/faulty-store.ts';
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

/** The webhooks of a service over this store, with all that it tells. */
async function openRoom(store: Store, folder: string, failure: object = {}) {
  const path = join(folder, 'portcullis.json');
  const kratos = { upstreamUrl: 'http://127.0.0.1:4433', proxy: { enabled: false } };
  writeFileSync(path, JSON.stringify({ kratos, failure }));
  const config = readServiceConfig({ path, env: {} });
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } });
  const observation = openObservation(config, log, '0.0.0');
  const room = await openKratosRoom({
    config,
    store,
    secrets: { secret },
    guard: createGuard({ secret, store: lentStore(store) }),
    limiter: createLimiter({ secret, store, warn: () => {} }),
    scenarios: () => null,
    tokens: new TokenBook([]),
    pinned: () => null,
    observation,
    graceMs: 0,
  });
  if (room === null) return expect.unreachable('The configuration asks for the room.');
  const route = room.routes?.find(({ path: of }) => of.endsWith('before-login'));
  const body = Buffer.from(JSON.stringify({ identifier: 'a@example.com', client_ip: '203.0.113.9' }));
  const call = { ip, headers: {}, body } as Partial<RouteCall> as RouteCall;
  const login = async () => (await route?.handle(call))?.body;
  return { room, login, observation, lines };
}

describe('login backoff whose store is away', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-kratos-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ['degraded', 3, 'DEGRADED', 0],
    ['shut', 1, 'FAIL_CLOSED', 1],
  ])(
    'is seen to be %s: in the modes, the metrics, the feed and the log',
    async (_, shutAtEntry, mode, shut) => {
      const store = createFaultyStore(createMemoryStore(), systemClock);
      const { room, login, observation, lines } = await openRoom(store, folder, { breaker: { shutAtEntry } });
      expect(room.modes?.()).toEqual([{ policy: 'kratos', mode: 'NORMAL', since: null, fault: null }]);
      store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
      for (let attempt = 0; attempt < 3; attempt += 1) await login();
      expect(room.modes?.()).toMatchObject([{ policy: 'kratos', mode, fault: 'STORE_FAILED' }]);
      const metrics = (await observation.metrics.text()).split('\n');
      expect(metrics).toEqual(
        expect.arrayContaining([
          'portcullis_degraded{policy="kratos"} 1',
          'portcullis_breaker_open{policy="kratos"} 1',
          `portcullis_policy_mode{policy="kratos",mode="${mode}"} 1`,
          'portcullis_breaker_trips_total{policy="kratos"} 1',
          'portcullis_faults_total{code="STORE_FAILED"} 3',
        ]),
      );
      const critical = 'portcullis_critical_total{policy="kratos",what="reentry"} 1';
      expect(metrics.filter((line) => line === critical)).toHaveLength(shut);
      const shown = observation.feed.subscribe({ since: '0' })?.take() ?? [];
      const told = shown.filter(({ json }) => json.includes('"policy":"kratos"'));
      expect(told.map(({ type }) => type)).toEqual(['breaker', ...Array(shut).fill('critical'), 'mode']);
      expect(told.at(-1)?.json).toContain(`"from":"NORMAL","to":"${mode}"`);
      expect(lines.filter((line) => line.includes('login backoff changed its mode'))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('login backoff is shut'))).toHaveLength(shut);
      await room.close?.();
    },
  );
});

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
    const { room, login } = await openRoom(slowStore(stepMs), folder);
    const answer = login();
    await vi.advanceTimersByTimeAsync(2_000);
    await room.close?.();
    return answer;
  }

  it('waits for a flush as long as decisions do', async () => {
    expect(await loginOn(900)).toMatchObject({ allowed: true, identifier_attempts: 1 });
  });

  it('refuses a login whose flush takes longer', async () => {
    expect(await loginOn(1_100)).toMatchObject({ allowed: false });
  });
});
