import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { changeBetween } from '../../src/config/config-change.ts';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import { systemClock } from '../../src/guard/failure/clock.ts';
import { LiveCore } from '../../src/server/live-core.ts';
import { openObservation } from '../../src/server/observation.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createFaultyStore } from '../../src/testing/faulty-store.ts';

const call = { method: 'GET', path: '/x', ip: '192.0.2.7' };

const folder = mkdtempSync(join(tmpdir(), 'portcullis-core-'));
afterAll(() => rmSync(folder, { recursive: true }));

function configOf(document: object) {
  const path = join(folder, 'portcullis.json');
  writeFileSync(path, JSON.stringify({ store: 'memory', ...document }));
  return readServiceConfig({ path, env: {} });
}

/** The deciding part of a service, on a store that can be made to fail. */
function open(document: object) {
  const config = configOf(document);
  const log = createLog({ level: 'silent', destination: { write: () => {} } });
  const store = createFaultyStore(createMemoryStore(), systemClock);
  const opened = { store, kind: 'redis', keepsDeadlines: false, ready: async () => {} } as const;
  const core = new LiveCore(
    config,
    opened,
    { secret: Buffer.alloc(32, 7) },
    openObservation(config, log, '0'),
  );
  const reload = (otherCost: number) =>
    core.prepare({ ...config, limits: { ...config.limits, otherCost } }, ['limits'])();
  return { core, store, reload };
}

test('what a process counts of its own in an outage goes on when limits change', async () => {
  const { core, store, reload } = open({ limits: { anonymous: { ratePerSecond: 0.001 } } });
  const takes = async () => {
    const allowed: boolean[] = [];
    for (let n = 0; n < 3; n += 1) allowed.push((await core.limiter.take(call)).allowed);
    return allowed;
  };
  store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
  expect(await takes()).toEqual([true, false, false]);
  reload(1);
  expect(await takes()).toEqual([false, false, false]);
  expect(core.limiter.counts()).toMatchObject({ allowed: 1, refused: { limit: 5 } });
  await core.close();
});

test('a call that is under way when limits change is counted', async () => {
  const { core, store, reload } = open({});
  store.trouble({ kind: 'late', delayMs: 50 });
  const taking = core.limiter.take(call);
  reload(2);
  await taking;
  expect(core.limiter.counts().allowed).toBe(1);
  await core.close();
});

test.each([
  ['goes', {}],
  ['is about accounts no more', { policies: { sms: { extends: 'api', actions: ['auth.sms'] } } }],
])('a policy that %s takes its caps along, though those need a restart', async (_, after) => {
  const caps = { sms: [{ scope: 'K4', count: 1, windowMs: 60_000 }] };
  const policies = { sms: { extends: 'otp', actions: ['auth.sms'] } };
  const { core } = open({ policies, failure: { caps } });
  const { config, live, needsRestart } = changeBetween(core.config, configOf(after));
  expect({ live, needsRestart }).toEqual({ live: ['policies'], needsRestart: ['failure'] });
  core.prepare(config, live)();
  const policyNames = core.guard.modes().map(({ policy }) => policy);
  expect(policyNames).toEqual(core.config.policies.map(({ name }) => name));
  await core.close();
});
