import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGuard } from '../../src/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createRedisCounters, createRedisStore } from '../../src/stores/redis/index.ts';
import { type CommandDocs, commandDocs, commandsAfter, optionsAfter } from '../servers/redis-commands.ts';
import { isRedisInstalled, type RedisServer, startRedis } from '../servers/redis-server.ts';
import { redisStoreConformance } from './redis-store-suite.ts';

/** The oldest Redis that is promised; KeyDB knows what it knew. */
const oldest = '6.2';
const deadlineMs = 5_000;

describe.runIf(isRedisInstalled())(`a Redis that has only the commands of ${oldest}`, () => {
  let docs: CommandDocs;
  let server: RedisServer;
  beforeAll(async () => {
    docs = await commandDocs();
    const removed = commandsAfter(docs, oldest).map((name) => `${name} `);
    server = await startRedis({ 'rename-command': removed });
  });
  afterAll(() => server.stop());

  test('really lacks the others', async () => {
    expect(commandsAfter(docs, oldest)).toEqual(expect.arrayContaining(['function', 'pexpiretime']));
    expect(await server.cli('PEXPIRETIME', 'key')).toMatch(/unknown command/);
  });

  redisStoreConformance(`Redis store, only the commands of ${oldest}`, async () => ({
    url: server.url,
    deadlineMs,
  }));

  test('is asked for no option that came later', async () => {
    const monitor = await Monitor.of(server);
    await useEverything(server.url);
    const seen = await monitor.commands(server);
    expect([...new Set(seen.map(([name]) => name))]).toEqual(
      expect.arrayContaining(['evalsha', 'get', 'incr', 'mget', 'pexpire', 'scan', 'set']),
    );
    const late = seen.filter(([name = '', ...args]) =>
      optionsAfter(docs, name, oldest).some((option) => args.includes(option)),
    );
    expect(late).toEqual([]);
  });
});

test('options of a command are told by when they came', () => {
  const docs = {
    set: {
      since: '1.0.0',
      arguments: [
        { since: '6.2.0', token: 'get' },
        { since: '7.0.0', arguments: [{ token: 'IFEQ' }, { token: 'IFNE', since: '7.1.0' }] },
      ],
    },
    later: { since: '7.0.0' },
  };
  expect(optionsAfter(docs, 'set', '6.2')).toEqual(['IFEQ', 'IFNE']);
  expect(optionsAfter(docs, 'set', '6.0')).toEqual(['GET', 'IFEQ', 'IFNE']);
  expect(optionsAfter(docs, 'none', '6.2')).toEqual([]);
  expect(commandsAfter(docs, '6.2')).toEqual(['later']);
});

/** Logins, operators, limits and counters: whatever sends commands. */
async function useEverything(url: string): Promise<void> {
  const store = createRedisStore({ url, deadlineMs });
  const secret = 'a secret that is long enough';
  const guard = createGuard({ secret, store, failure: { deadlineMs: null } });
  const limiter = createLimiter({ secret, store });
  const counters = createRedisCounters({ url, deadlineMs });
  const request = { action: 'auth.login', account: 'a1', ip: '203.0.113.7', ua: 'x', device: null };
  try {
    await store.ping();
    for (let turn = 0; turn < 3; turn += 1) await guard.fail(request);
    expect(await guard.check(request)).toMatchObject({ outcome: 'HARD_BLOCK', mode: 'NORMAL' });
    for await (const { id } of guard.blocks())
      await guard.lift(id, { by: 'a test', why: 'to see its commands' });
    expect(await limiter.take({ method: 'GET', path: '/list', ip: '203.0.113.7' })).toMatchObject({
      mode: 'NORMAL',
    });
    await counters.add([{ key: 'network', share: 'mine', windowMs: 60_000 }]);
    await counters.takeShare('network', 'mine');
  } finally {
    await counters.close();
    await store.close();
  }
}

const end = 'the end of what is watched';

/** Every command that a server runs, those of scripts too. */
class Monitor {
  readonly #socket: Socket;
  #text = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      this.#text += text;
    });
  }

  static async of({ host, port }: RedisServer): Promise<Monitor> {
    const socket = connect({ host, port });
    const monitor = new Monitor(socket);
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    return monitor;
  }

  /** What was seen until now: the name in small letters, then the arguments. */
  async commands(server: RedisServer): Promise<string[][]> {
    await server.cli('ECHO', end);
    while (!this.#text.includes(end)) await once(this.#socket, 'data');
    this.#socket.destroy();
    return this.#text.split('\r\n').flatMap((line) => {
      const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word);
      const [name, ...args] = words;
      return name === undefined ? [] : [[name.toLowerCase(), ...args]];
    });
  }
}
