import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import { createLog } from '../telemetry/log.ts';
import { createFaultyStore } from '../testing/faulty-store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { warnOfOtherSecret } from './secret-marks.ts';

const at = Date.UTC(2026, 0, 2, 3, 4, 5);
const config = { environment: 'test', keyFile: '/etc/portcullis.keys.json' };
const [one, two, three] = ['1', '2', '3'].map((digit) => Buffer.from(digit.repeat(32))) as [
  Buffer,
  Buffer,
  Buffer,
];

/** What a node says that starts with these secrets. */
async function start(store: Store, secret: Buffer, previousSecret?: Buffer, environment = 'test') {
  const lines: { readonly code: string; readonly file: string; readonly msg: string }[] = [];
  const log = createLog({
    level: 'trace',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const secrets = previousSecret === undefined ? { secret } : { secret, previousSecret };
  await warnOfOtherSecret(store, { ...config, environment }, secrets, log);
  return lines;
}

describe('a node that starts on a store', () => {
  const started = () => createMemoryStore({ clock: () => at });

  it('says nothing where it is the first, or goes by the secret of those before', async () => {
    const store = started();
    for (let node = 0; node < 3; node += 1) expect(await start(store, one)).toEqual([]);
  });

  it('warns where the one before it went by another, and so does each of them from then on', async () => {
    const store = started();
    await start(store, one);
    for (const secret of [two, one]) {
      const [line, ...others] = await start(store, secret);
      expect(others).toEqual([]);
      expect(line).toMatchObject({ level: 'warn', code: 'PORTCULLIS_SECRET_DIFFERS', file: config.keyFile });
      expect(line?.msg).toContain('with another secret started on this store at 2026-01-02T03:04:05.000Z:');
    }
    expect(await start(store, one)).toEqual([]);
  });

  it('goes together with those that have a secret in common, from the begin of a rotation to its end', async () => {
    const store = started();
    const both = [two, one] as const;
    for (const secrets of [[one], both, [one], both, both, [two], both, [two]] as const) {
      const [secret, previousSecret] = secrets;
      expect(await start(store, secret, previousSecret)).toEqual([]);
    }
    expect(await start(store, three, two)).toEqual([]);
    expect(await start(store, one)).toMatchObject([{ code: 'PORTCULLIS_SECRET_DIFFERS' }]);
  });

  it('has nothing to do with those of another environment', async () => {
    const store = started();
    await start(store, one);
    expect(await start(store, two, undefined, 'stage')).toEqual([]);
  });

  it('leaves nothing in the store that tells the secret', async () => {
    const store = started();
    await start(store, two, one);
    const key = { text: 'portcullis:test:secrets:1:marks:{secrets}', was: null };
    const record = await store.view([key], (records) => JSON.stringify(records.get(key)));
    expect(record).toMatch(/^\{"at":\d+,"marks":\["[\w-]{22}","[\w-]{22}"\]\}$/);
  });

  it('starts all the same where the store does not answer', async () => {
    const store = createFaultyStore(started(), new VirtualClock());
    store.trouble({ kind: 'fault', code: 'STORE_FAILED' });
    expect(await start(store, one)).toMatchObject([
      {
        level: 'warn',
        code: 'STORE_FAILED',
        msg: 'whether other nodes have the same secret could not be found out',
      },
    ]);
  });
});
