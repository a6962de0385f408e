import { Redis } from 'ioredis';
import type { Key, Records, StoredRecord } from '../src/core/records.ts';
import { createRedisStore } from '../src/stores/redis/index.ts';
import type { Store } from '../src/stores/store.ts';
import { type RedisServer, startRedis } from '../test/servers/redis-server.ts';
import {
  compare,
  knownLogin,
  type Logins,
  limitersOf,
  loginsOf,
  makeKnown,
  measureFailures,
  measureInTurns,
  newLogin,
  peer,
} from './redis-logins.ts';
import type { Report } from './runner.ts';

/**
 * Login attempts on one Redis server: ours (account, network and device groups, all rules) beside four limiters of
 * rate-limiter-flexible (account, address, address with user agent, device) with ioredis, its quickest client. Both
 * run in this process, in turns, on the same server.
 */
const concurrencies = [1, 64, 512];
const deadlineMs = 2_000;

export async function run(report: Report): Promise<void> {
  const server = await startRedis();
  const store = createRedisStore({ url: server.url, deadlineMs });
  const client = new Redis(server.port, server.host);
  try {
    await store.ping();
    const ours = loginsOf(store);
    const theirs = limitersOf(client);
    await makeKnown(ours, theirs);
    const both = (name: string, use: (logins: Logins) => Promise<unknown>) =>
      compare(report, [server], name, { ours: () => use(ours), theirs: () => use(theirs) }, concurrencies);
    await both('check', ({ check }) => check(knownLogin()));
    await both('attempt: check, then fail', async ({ check, fail }) => {
      const login = newLogin();
      await check(login);
      await fail(login);
    });
    for (const concurrency of concurrencies) {
      const [own = 0, peerValue = 0] = await measureFailures([ours, theirs], concurrency);
      report({ metric: `fail after its check, ${concurrency} at once (/s)`, ours: own, peer, peerValue });
    }
    await both('fail without a check before it', ({ fail }) => fail(newLogin()));
    await compareHotKey(report, server, store, ours, theirs);
    await measureBlocked(report, server, ours);
  } finally {
    await store.close();
    client.disconnect();
    await server.stop();
  }
}

/**
 * One account under 512 failures at once: the rules block it after a few, as they do in an attack, and go on counting.
 * Then four records counted up by a bare step, as the peer does it: what group commit alone is worth.
 */
async function compareHotKey(
  report: Report,
  server: RedisServer,
  store: Store,
  ours: Logins,
  theirs: Logins,
): Promise<void> {
  const login = newLogin();
  const keys = ['K4', 'K1', 'K2', 'K3'].map(
    (kind): Key<Count> => ({ text: `portcullis:bench:hot:1:${kind}:{hot}`, was: null }),
  );
  const counting = () => store.transact(keys, (records, now) => countAll(keys, records, now));
  const { theirs: other, ...own } = await measureInTurns(
    [server],
    {
      theirs: () => theirs.fail(login),
      'failures on one account': () => ours.fail(login),
      'four records counted up': counting,
    },
    512,
  );
  for (const [name, sample] of Object.entries(own)) {
    const metric = `one hot key: ${name}, 512 at once`;
    report({ metric: `${metric} (/s)`, ours: sample.perSecond, peer, peerValue: other.perSecond });
    report({
      metric: `${metric}, server CPU (µs each)`,
      ours: sample.serverMicrosPerOp,
      peer,
      peerValue: other.serverMicrosPerOp,
      better: 'lower',
    });
  }
}

async function measureBlocked(report: Report, server: RedisServer, { check, fail }: Logins): Promise<void> {
  const login = newLogin();
  for (let failures = 0; failures < 4; failures += 1) await fail(login);
  const { blocked } = await measureInTurns([server], { blocked: () => check(login) }, 64);
  const { commandsPerOp, perSecond } = blocked;
  report({ metric: 'blocked checks (decisions/s)', ours: perSecond, peer: null, peerValue: null });
  report({
    metric: 'blocked checks (commands per 1,000)',
    ours: commandsPerOp * 1_000,
    peer: null,
    peerValue: null,
  });
}

interface Count extends StoredRecord {
  readonly count: number;
}

function countAll(keys: readonly Key<Count>[], records: Records, now: number): void {
  for (const key of keys) {
    const count = (records.get(key)?.count ?? 0) + 1;
    records.put(key, { at: now, count }, { keepMs: 3_600_000, softMs: 0, hardMs: 0 });
  }
}
