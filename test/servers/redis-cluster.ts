import { freePort, onFreePorts } from './free-port.ts';
import { type RedisServer, type RedisSettings, startRedis, until } from './redis-server.ts';

/** Three masters, each with a replica. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  readonly urls: readonly string[];
  /** The nodes that are masters now. */
  masters(): Promise<readonly RedisServer[]>;
  /** The master that serves a slot. */
  ownerOf(slot: number): Promise<RedisServer>;
  /** Moves one slot, key by key, as `redis-cli --cluster reshard` does. */
  moveSlot(slot: number, to: RedisServer): Promise<void>;
  stop(): Promise<void>;
}

const slots = 16384;
const masterCount = 3;

/** A node counts as failing after this time, in milliseconds. */
const nodeTimeoutMs = 500;

/** Redis gives an introduction up after this time and never repeats it. */
const handshakeMs = 1000;

export async function startCluster(settings: RedisSettings = {}): Promise<RedisCluster> {
  const nodes = await startNodes(settings);
  const servers = nodes.map(({ server }) => server);
  const [first] = servers;
  if (first === undefined) throw new TypeError('A cluster has nodes.');
  await until(() => haveMet(first, nodes), handshakeMs / 4);
  for (const server of servers) await until(async () => (await knownNodes(server)) === nodes.length);
  await shareSlots(servers.slice(0, masterCount));
  for (const [index, replica] of servers.slice(masterCount).entries()) {
    const master = servers[index];
    if (master !== undefined) await follow(replica, master);
  }
  for (const server of servers) await until(() => isComplete(server, masterCount));

  const cluster: RedisCluster = {
    nodes: servers,
    urls: servers.map(({ url }) => url),
    async masters() {
      const roles = await Promise.all(servers.map((server) => server.cli('ROLE').catch(() => '')));
      return servers.filter((_, index) => roles[index]?.startsWith('master'));
    },
    async ownerOf(slot) {
      for (const server of await cluster.masters()) if (await owns(server, slot)) return server;
      throw new TypeError(`No master serves slot ${slot}.`);
    },
    async moveSlot(slot, to) {
      await moveSlot(slot, await cluster.ownerOf(slot), to, await cluster.masters());
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
  return cluster;
}

/** All of them, or none: what was started beside one that failed is stopped. */
async function startNodes(settings: RedisSettings): Promise<readonly StartedNode[]> {
  const starting = Array.from({ length: 2 * masterCount }, () => onFreePorts(() => startNode(settings)));
  const outcomes = await Promise.allSettled(starting);
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (started.length < starting.length) await Promise.all(started.map(({ server }) => server.stop()));
  return Promise.all(starting);
}

interface StartedNode {
  readonly server: RedisServer;
  readonly busPort: number;
}

async function startNode(settings: RedisSettings): Promise<StartedNode> {
  const busPort = await freePort();
  const server = await startRedis({
    ...settings,
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    'cluster-node-timeout': String(nodeTimeoutMs),
    'cluster-replica-validity-factor': '0',
    'repl-diskless-sync-delay': '0',
  });
  return { server, busPort };
}

/** Introduces all to the first, again until it knows them: on a busy machine an introduction takes too long. */
async function haveMet(first: RedisServer, nodes: readonly StartedNode[]): Promise<boolean> {
  if ((await knownNodes(first)) === nodes.length) return true;
  for (const { server, busPort } of nodes)
    if (server !== first)
      await first.cli('CLUSTER', 'MEET', server.host, String(server.port), String(busPort));
  return false;
}

async function shareSlots(masters: readonly RedisServer[]): Promise<void> {
  const share = Math.ceil(slots / masters.length);
  for (const [index, master] of masters.entries()) {
    const last = Math.min(slots, (index + 1) * share) - 1;
    await master.cli('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last));
  }
}

async function follow(replica: RedisServer, master: RedisServer): Promise<void> {
  const id = await master.cli('CLUSTER', 'MYID');
  await until(async () => (await replica.cli('CLUSTER', 'REPLICATE', id).catch(() => '')) === 'OK');
}

async function knownNodes(server: RedisServer): Promise<number> {
  const lines = (await server.cli('CLUSTER', 'NODES')).split('\n');
  return lines.filter((line) => !line.includes('handshake')).length;
}

async function isComplete(server: RedisServer, replicas: number): Promise<boolean> {
  const isOk = (await server.cli('CLUSTER', 'INFO')).includes('cluster_state:ok');
  const lines = (await server.cli('CLUSTER', 'NODES')).split('\n');
  const inSync = !(await server.cli('INFO', 'replication')).includes('master_link_status:down');
  return isOk && inSync && lines.filter((line) => line.includes('slave')).length === replicas;
}

async function owns(server: RedisServer, slot: number): Promise<boolean> {
  const lines = (await server.cli('CLUSTER', 'NODES')).split('\n');
  const ranges =
    lines
      .find((line) => line.includes('myself'))
      ?.split(' ')
      .slice(8) ?? [];
  return ranges.some((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return from <= slot && slot <= to;
  });
}

async function moveSlot(
  slot: number,
  from: RedisServer,
  to: RedisServer,
  all: readonly RedisServer[],
): Promise<void> {
  if (from === to) return;
  const [fromId, toId] = await Promise.all([from.cli('CLUSTER', 'MYID'), to.cli('CLUSTER', 'MYID')]);
  await to.cli('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', fromId);
  await from.cli('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', toId);
  for (;;) {
    const keys = (await from.cli('CLUSTER', 'GETKEYSINSLOT', String(slot), '100'))
      .split('\n')
      .filter(Boolean);
    if (keys.length === 0) break;
    await from.cli('MIGRATE', to.host, String(to.port), '', '0', '5000', 'KEYS', ...keys);
  }
  for (const server of [to, ...all]) await server.cli('CLUSTER', 'SETSLOT', String(slot), 'NODE', toId);
}
