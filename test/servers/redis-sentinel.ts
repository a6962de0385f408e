import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, onFreePorts } from './free-port.ts';
import { type RedisServer, type RedisSettings, startRedis, until } from './redis-server.ts';

/** A master with a replica, and three Sentinels that watch over them. */
export interface SentinelTrio {
  readonly name: string;
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];
  /** The server that the Sentinels name as master. */
  master(): Promise<RedisServer>;
  stop(): Promise<void>;
}

const name = 'guarded';

/** A master counts as down after this time, in milliseconds. */
const downAfterMs = 300;

export async function startSentinelTrio(settings: RedisSettings = {}): Promise<SentinelTrio> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-sentinel-'));
  const first = await startRedis({ ...settings, 'repl-diskless-sync-delay': '0' });
  const second = await startRedis({
    ...settings,
    replicaof: `${first.host} ${first.port}`,
    'repl-diskless-sync-delay': '0',
  });
  const servers = [first, second];
  await until(async () => (await second.cli('INFO', 'replication')).includes('master_link_status:up'));
  const sentinels = await Promise.all(
    [0, 1, 2].map((index) => onFreePorts(() => startSentinel(folder, index, first.port))),
  );

  const addressOf = async (sentinel: RedisServer): Promise<number> => {
    const reply = await sentinel.cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name);
    return Number(reply.split('\n')[1]);
  };
  const knowsAll = async (sentinel: RedisServer): Promise<boolean> => {
    const said = await sentinel.cli('SENTINEL', 'MASTER', name);
    return /num-slaves\n1\n/.test(said) && /num-other-sentinels\n2\n/.test(said);
  };
  for (const sentinel of sentinels) await until(() => knowsAll(sentinel));

  return {
    name,
    servers,
    sentinels,
    async master() {
      const [sentinel] = sentinels;
      const port = sentinel === undefined ? 0 : await addressOf(sentinel);
      const master = servers.find((server) => server.port === port);
      if (master === undefined) throw new TypeError(`No server of the trio listens on ${port}.`);
      return master;
    },
    async stop() {
      for (const server of [...sentinels, ...servers]) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sentinels keep what they learn in their configuration file, so each needs one of its own. */
async function startSentinel(folder: string, index: number, masterPort: number): Promise<RedisServer> {
  const port = await freePort();
  const file = join(folder, `sentinel-${index}.conf`);
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 3000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return startRedis({ port: String(port) }, file);
}
