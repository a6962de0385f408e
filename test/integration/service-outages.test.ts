import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { open as openLmdb } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../servers/free-port.ts';
import { startPostgres } from '../servers/postgres-server.ts';
import { startRedis, until } from '../servers/redis-server.ts';
import { ServiceProcesses } from './service-process.ts';
import { ask, each, type ServiceUnderTest, startService } from './service-under-test.ts';

const missing = (process.env.PORTCULLIS_MISSING ?? '').split(',');
const login = { ip: '203.0.113.7', account: 'a1' };

const decides = async (under: ServiceUnderTest, path = '/v1/check', body: object = login) =>
  (await under.ask('POST', path, body)).json;

describe('a store that is away at the start', () => {
  it('keeps nobody from starting; decisions are made as the contract says', async () => {
    const under = await startService({ store: `redis://127.0.0.1:${await freePort()}` });
    expect(under.service.storeReached).toBe(false);
    const ready = await under.ask('GET', '/readyz');
    expect([ready.status, ready.json.code]).toEqual([503, 'STORE_UNAVAILABLE']);
    expect((await under.ask('GET', '/healthz')).status).toBe(200);
    for (let n = 0; n < 3; n += 1) {
      expect(await decides(under)).toMatchObject({
        outcome: 'HARD_BLOCK',
        level: 2,
        rule: 'store',
        mode: n < 2 ? 'FAIL_CLOSED' : 'DEGRADED',
        ...(n < 2 ? {} : { outcome: 'ALLOW', level: 0, rule: null }),
      });
    }
    const { json: status } = await under.ask('GET', '/v1/status');
    expect(status.storeAnswers).toBe(false);
    expect(each(status.modes, 'mode')).toContain('DEGRADED');
    expect((await under.ask('GET', '/v1/blocks')).json).toMatchObject({
      status: 503,
      code: 'STORE_UNAVAILABLE',
    });
    expect((await under.ask('GET', '/v1/authorize')).status).toBe(200);
    expect(under.lines.join('')).toMatch(
      /"message":"There is no connection to Redis\.","msg":"the store does not serve;/,
    );
    await under.close();
  });
});

describe.runIf(!missing.includes('redis'))('a Redis that is lost', () => {
  it('is told, decided without, and found again', async () => {
    const redis = await startRedis();
    const under = await startService({
      store: redis.url,
      failure: {
        deadlineMs: 5_000,
        breaker: { minOpenMs: 200, healthyMs: 100, probeEveryMs: 50, tripWindowMs: 60_000 },
      },
    });
    expect((await under.ask('GET', '/readyz')).status).toBe(200);
    expect(await decides(under)).toMatchObject({ outcome: 'ALLOW', mode: 'NORMAL' });
    await redis.kill();
    const modes = [];
    for (let n = 0; n < 4; n += 1) modes.push((await decides(under)).mode);
    expect(modes).toEqual(['FAIL_CLOSED', 'FAIL_CLOSED', 'DEGRADED', 'DEGRADED']);
    expect((await decides(under, '/v1/consume', { ip: login.ip })).mode).toBe('FAIL_OPEN');
    await sleep(1_100);
    expect((await under.ask('GET', '/readyz')).status).toBe(503);
    await redis.resume();
    await until(async () => (await decides(under)).mode === 'NORMAL', 100);
    await until(async () => (await under.ask('GET', '/readyz')).status === 200, 100);
    expect(under.lines.join('')).toMatch(/"to":"DEGRADED".*\n(.*\n)*.*"to":"NORMAL"/);
    await under.close();
    await redis.stop();
  });
});

describe.runIf(!missing.includes('postgres'))('a PostgreSQL', () => {
  it('serves, and is missed when it is gone', async () => {
    const postgres = await startPostgres();
    const under = await startService({ store: postgres.connectionString, failure: { deadlineMs: 2_000 } });
    expect(await decides(under, '/v1/fail')).toMatchObject({ mode: 'NORMAL' });
    await postgres.stop();
    expect(await decides(under, '/v1/fail')).toMatchObject({ outcome: 'HARD_BLOCK', mode: 'FAIL_CLOSED' });
    await under.close();
  });
});

describe('an embedded store', () => {
  let processes: ServiceProcesses;
  beforeAll(() => {
    processes = new ServiceProcesses();
  });
  afterAll(() => processes.remove());

  it('keeps what was decided, and its secret, over a restart', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'portcullis-data-'));
    const document = { dataFolder };
    const first = await processes.start(document);
    await until(() => /made now.*\n.*only this machine/.test(first.said.join('\n')));
    for (let n = 0; n < 3; n += 1) await ask(first.url, 'POST', '/v1/fail', login);
    const { json: before } = await ask(first.url, 'POST', '/v1/check', login);
    first.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const second = await processes.start(document);
    const { json: after } = await ask(second.url, 'POST', '/v1/check', login);
    expect([after.outcome, after.until]).toEqual(['HARD_BLOCK', before.until]);
    second.kill('SIGTERM');
    await second.ended;
    rmSync(dataFolder, { recursive: true, force: true });
  });

  it('sets records aside that cannot be read, so that their subject starts anew', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'portcullis-data-'));
    const document = { dataFolder, store: 'lmdb' };
    const first = await startService(document);
    expect((await decides(first, '/v1/fail')).mode).toBe('NORMAL');
    await first.close();
    const raw = openLmdb({ path: join(dataFolder, 'records'), overlappingSync: false });
    const records = raw.openDB<string>('records', { encoding: 'string' });
    for (const key of [...records.getKeys()]) await records.put(key, '9999999999999 0 nonsense');
    await raw.close();
    const second = await startService(document);
    await second.ask('POST', '/v1/check', login);
    expect(await decides(second)).toMatchObject({ outcome: 'ALLOW', mode: 'NORMAL' });
    expect(second.lines.join('')).toMatch(/"count":[1-9].*"a stored record cannot be read"/);
    await second.close();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  it('on a full disk is a store that fails: nobody is let through in silence, and nothing crashes', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'portcullis-data-'));
    const full = await processes.start({ dataFolder }, { fileKib: 192 });
    const answers = [];
    for (let n = 0; n < 400; n += 1) {
      const body = { ip: `198.51.${n % 250}.7`, account: `account-${n}`, ua: 'x'.repeat(200) };
      const { status, json } = await ask(full.url, 'POST', '/v1/fail', body);
      answers.push({ status, mode: json.mode, outcome: json.outcome });
      if (json.mode === 'DEGRADED') break;
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.at(-1)?.mode).toBe('DEGRADED');
    expect(answers.filter(({ mode }) => mode === 'FAIL_CLOSED').map(({ outcome }) => outcome)).toEqual([
      'HARD_BLOCK',
      'HARD_BLOCK',
    ]);
    expect((await ask(full.url, 'POST', '/v1/check', login)).json.mode).toBe('DEGRADED');
    full.kill('SIGTERM');
    expect(await full.ended).toBe(0);
    rmSync(dataFolder, { recursive: true, force: true });
  });
});
