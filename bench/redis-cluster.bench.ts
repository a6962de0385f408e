import { createGuard } from '../src/index.ts';
import { settingsOf } from '../src/stores/redis/options.ts';
import { DrivenRedisStore } from '../src/stores/redis/redis-store.ts';
import { CountingDriver } from '../test/servers/counting-driver.ts';
import { startCluster } from '../test/servers/redis-cluster.ts';
import { newLogin } from './redis-logins.ts';
import { compare, startSides, stopSides } from './redis-rounds.ts';
import type { Report } from './runner.ts';

/** The attempts of `redis` on a cluster of three masters, each with a replica. Throughput is that of one shard. */
const concurrencies = [1, 64, 512];
const deadlineMs = 2_000;

export async function run(report: Report): Promise<void> {
  const cluster = await startCluster();
  try {
    const masters = await cluster.masters();
    // Not the replicas: what they spend is counted for no other work.
    const sides = await startSides(
      'cluster',
      masters.map(({ url }) => url),
    );
    try {
      await compare(report, masters, sides, 'check', concurrencies);
      await compare(report, masters, sides, 'attempt', concurrencies);
      await compare(report, masters, sides, 'fail after its check', concurrencies);
    } finally {
      stopSides(sides);
    }
    await countRoundTrips(report, cluster.urls);
  } finally {
    await cluster.stop();
  }
}

/** Commands that are under way together are one round trip. */
async function countRoundTrips(report: Report, urls: readonly string[]): Promise<void> {
  const driver = new CountingDriver(settingsOf({ cluster: urls }).driver);
  const store = new DrivenRedisStore(driver, deadlineMs);
  const guard = createGuard({ store, secret: 'a secret of the bench, long enough', environment: 'rounds' });
  await store.ready();
  const rounds = { check: 0, fail: 0 };
  const attempts = 200;
  for (let index = 0; index < attempts; index += 1) {
    const { account, ip, ua, device } = newLogin();
    const request = {
      action: 'auth.login',
      account,
      ip,
      ua,
      device: { id: device, confidence: 'MEDIUM' },
    } as const;
    for (const op of ['check', 'fail'] as const) {
      driver.restart();
      await guard[op](request);
      rounds[op] += driver.rounds;
    }
  }
  for (const op of ['check', 'fail'] as const) {
    const metric = op === 'check' ? 'round trips of a check' : 'round trips of a fail after its check';
    report({ metric, ours: rounds[op] / attempts, peer: null, peerValue: null });
  }
  await guard.close();
}
