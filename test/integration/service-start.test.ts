import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../servers/postgres-server.ts';
import { startRedis } from '../servers/redis-server.ts';
import { startService } from './service-under-test.ts';

const missing = (process.env.PORTCULLIS_MISSING ?? '').split(',');
const failure = { deadlineMs: 5_000 };
const marksName = 'portcullis:default:secrets:1:marks:{secrets}';

/**
 * A process runs its first decisions many times slower than those after them. Those that come in the first moment of a
 * restart under load missed the deadline of a store that was well, three of them in a row, and the node was degraded.
 */
describe('a node that has just started', () => {
  it.runIf(!missing.includes('redis'))(
    'has decided before, on its Redis, and left nothing there but the mark of its secret',
    async () => {
      const redis = await startRedis();
      const under = await startService({ store: redis.url, failure });
      expect(await redis.cli('INFO', 'commandstats')).toMatch(/cmdstat_evalsha:calls=\d/);
      const names = (await redis.cli('KEYS', '*')).split('\n').filter((name) => name !== '');
      const others = names.filter((name) => name !== marksName);
      expect(names).toContain(marksName);
      expect(others.filter((name) => !name.startsWith('portcullis-ping:'))).toEqual([]);
      const lives = await Promise.all(others.map((name) => redis.cli('PTTL', name)));
      expect(lives.filter((life) => Number(life) === -1 || Number(life) > 1_000)).toEqual([]);
      expect((await under.ask('GET', '/metrics')).text).not.toMatch(/^portcullis_decisions_total\{/m);
      expect((await under.ask('GET', '/v1/blocks')).json.blocks).toEqual([]);
      await under.close();
      await redis.stop();
    },
  );

  it.runIf(!missing.includes('redis'))('warns where others on its store have another secret', async () => {
    const redis = await startRedis();
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-keys-'));
    const nodes = ['one', 'one', 'other'].map((name) => join(folder, `${name}.keys.json`));
    const warnings: number[] = [];
    for (const keyFile of nodes) {
      const under = await startService({ store: redis.url, failure, keyFile });
      warnings.push(under.lines.filter((line) => line.includes('PORTCULLIS_SECRET_DIFFERS')).length);
      await under.close();
    }
    expect(warnings).toEqual([0, 0, 1]);
    rmSync(folder, { recursive: true });
    await redis.stop();
  });

  it.runIf(!missing.includes('postgres'))('has decided before, on its PostgreSQL', async () => {
    const postgres = await startPostgres();
    const { connectionString } = postgres;
    const under = await startService({ store: connectionString, failure });
    const client = new Client({ connectionString });
    await client.connect();
    const { rows } = await client.query('SELECT key FROM portcullis.records');
    await client.end();
    const names = rows.map(({ key }) => String(key));
    expect(names.filter((name) => name.startsWith('portcullis-ping:rehearsal:'))).not.toEqual([]);
    expect(names.filter((name) => !name.startsWith('portcullis-ping:'))).toEqual([marksName]);
    await under.close();
    await postgres.stop();
  });
});
