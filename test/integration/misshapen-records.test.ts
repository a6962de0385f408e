import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defaultPolicies } from '../../src/core/policy.ts';
import type { Key, StoredRecord } from '../../src/core/records.ts';
import { type PinRecord, pinKey } from '../../src/guard/pins/pin-steps.ts';
import { Pins } from '../../src/guard/pins/pins.ts';
import { createIdentifier } from '../../src/identity/identifier.ts';
import { createGuard, type GuardRequest } from '../../src/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createLmdbStore } from '../../src/stores/lmdb/index.ts';
import { createPostgresStore } from '../../src/stores/postgres/index.ts';
import { createRedisStore } from '../../src/stores/redis/index.ts';
import type { Store } from '../../src/stores/store.ts';
import { rejection } from '../conformance/under-test.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../servers/postgres-server.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';

/** These tests are about answers, not about time: the machine may be busy. */
const deadlineMs = 10_000;
const secret = 'a secret of sixteen bytes or more';
const note = { by: 'alice', why: 'attack' };
const blocked = { keepMs: 3_600_000, softMs: 0, hardMs: 3_600_000 };
const login = (account: string): GuardRequest => ({
  action: 'auth.login',
  account,
  ip: '192.0.2.1',
  device: null,
});

let environments = 0;

/** Records whose JSON is sound and that are still none of the kind that their key names. */
function misshapenConformance(open: () => Store): void {
  /** A process of its own: what another one remembers does not count. */
  const openStore = () => {
    const store = open();
    onTestFinished(() => store.close());
    return store;
  };
  const openGuard = (environment: string) => {
    const guard = createGuard({ store: openStore(), secret, environment });
    const told: number[] = [];
    guard.on('corrupt', ({ setAside }) => told.push(setAside));
    return { guard, told };
  };
  /** Writes what is given in plain JSON, as somebody does who knows no forms. */
  const write = (text: string, fields: object) => {
    const key: Key = { text, was: null };
    return openStore().transact([key], (records, now) => records.put(key, { at: now, ...fields }, blocked));
  };
  const blockedAccount = async (environment: string, account: string) => {
    const { guard } = openGuard(environment);
    const { id } = await guard.place(login(account), { scope: 'K4', level: 3, ...note });
    return { id, text: `portcullis:${environment}:login:1:K4:{${id.split(':')[2]}}` };
  };
  const idsOf = async (blocks: AsyncIterable<{ readonly id: string }>) => {
    const ids: string[] = [];
    for await (const { id } of blocks) ids.push(id);
    return ids;
  };

  it.each([
    ['nothing but a time', {}],
    ['a number as its standing', { standing: 7 }],
    ['the form of another kind', { form: 'book' }],
    ['a list in which nothing is a device', { devices: [null, 1, {}] }],
  ])('is set aside where it has %s, and hides no other', async (_, fields) => {
    const environment = `account-${environments++}`;
    const good = await blockedAccount(environment, 'good');
    const bad = await blockedAccount(environment, 'bad');
    await write(bad.text, fields);
    const { guard, told } = openGuard(environment);
    expect(await idsOf(guard.blocks())).toEqual([good.id]);
    expect(await rejection(guard.check(login('bad')))).toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(told).toEqual([1]);
    expect(await guard.check(login('bad'))).toMatchObject({ mode: 'NORMAL', outcome: 'ALLOW' });
    expect(await guard.check(login('good'))).toMatchObject({ outcome: 'HARD_BLOCK' });
    await write(bad.text, fields);
    const again = openGuard(environment);
    expect(await rejection(again.guard.lift(bad.id, note))).toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(await again.guard.lift(bad.id, note)).toBe(false);
    expect(again.told).toEqual([1]);
  });

  it('is read where it was written in full, before there were forms', async () => {
    const environment = `full-${environments++}`;
    const { text } = await blockedAccount(environment, 'old');
    const key: Key = { text, was: null };
    const record = await openStore().view([key], (records) => records.get(key));
    await write(text, { ...record });
    expect(await openGuard(environment).guard.check(login('old'))).toMatchObject({ outcome: 'HARD_BLOCK' });
  });

  it('is set aside by a limiter, and left out of its blocks', async () => {
    const environment = `limits-${environments++}`;
    const call = { method: 'GET', path: '/', ip: '192.0.2.1', user: 'u' };
    const openLimiter = () => createLimiter({ store: openStore(), secret, environment });
    const first = openLimiter();
    await first.block(call);
    const [, , hash] = (await first.blockIdOf(call)).split(':');
    await write(`portcullis:${environment}:limits.default:1:U:{${hash}}`, {});
    const limiter = openLimiter();
    expect(await idsOf(limiter.blocks())).toEqual([]);
    expect(await rejection(limiter.take(call))).toMatchObject({ code: 'RECORD_CORRUPT' });
    expect(await limiter.take(call)).toMatchObject({ allowed: true });
  });

  it.each([{ acts: 5 }, { acts: [null] }, { acts: [], open: [{}] }])(
    'is set aside as the audit trail: %o',
    async (fields) => {
      const environment = `audit-${environments++}`;
      await write(`portcullis:${environment}:audit:1:trail:{audit}`, fields);
      const { guard, told } = openGuard(environment);
      expect(await rejection(guard.audit())).toMatchObject({ code: 'RECORD_CORRUPT' });
      expect(told).toEqual([1]);
      expect(await guard.audit()).toEqual([]);
    },
  );

  it.each([{ pins: {} }, { pins: [null] }, { pins: [{ until: 'x' }] }])(
    'as the pins is told of, and set aside once an operator acts: %o',
    async (fields) => {
      const environment = `pins-${environments++}`;
      await write(pinKey(environment).text, fields);
      const faults: string[] = [];
      const pins = new Pins({
        store: openStore(),
        environment,
        identifier: createIdentifier({ secret }),
        names: () => ({ policies: defaultPolicies, scenarios: [] }),
        onFault: ({ code }) => faults.push(code),
      });
      await pins.start();
      expect(faults).toEqual(['RECORD_CORRUPT']);
      expect(await rejection(pins.list())).toMatchObject({ code: 'RECORD_CORRUPT' });
      const put = await pins.put(
        { kind: 'limit', for: 'anonymous', ratePerSecond: 1 },
        { ...note, forMs: 60_000 },
      );
      expect(await pins.list()).toEqual([put]);
      pins.close();
    },
  );

  it('as the pins from before there were forms is read', async () => {
    const environment = `pins-${environments++}`;
    const pin = {
      id: 'scenario:s',
      kind: 'scenario',
      scenario: 's',
      by: 'a',
      why: 'b',
      from: 1,
      until: 9e15,
    };
    await write(pinKey(environment).text, { pins: [pin] });
    const key: Key<PinRecord & StoredRecord> = pinKey(environment);
    expect(await openStore().view([key], (records) => records.get(key)?.pins)).toEqual([pin]);
  });
}

describe('a misshapen record in the embedded store', () => {
  const path = mkdtempSync(join(tmpdir(), 'portcullis-misshapen-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  misshapenConformance(() => createLmdbStore({ path, deadlineMs }));
});

describe.runIf(isRedisInstalled())('a misshapen record in Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());
  misshapenConformance(() => createRedisStore({ url: server.url, deadlineMs }));
});

describe.runIf(postgresPrograms() !== null)('a misshapen record in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  misshapenConformance(() => createPostgresStore({ connectionString: server.connectionString, deadlineMs }));
});
