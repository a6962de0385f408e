import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type IoredisClient, type IoredisCluster, ioredisClusterDriver, ioredisDriver } from './ioredis.ts';

/** A client of the library that does what it is told: to become ready, or to give up for good. */
class ObedientClient implements IoredisClient {
  readonly isCluster = false;
  readonly made: ObedientClient[];
  readonly #listeners = new Map<string, ((cause: Error) => void)[]>();
  isDisconnected = false;

  constructor(made: ObedientClient[]) {
    this.made = made;
  }

  call = async (command: string): Promise<unknown> => `${command} by ${this.made.indexOf(this)}`;
  connect = async (): Promise<unknown> => null;
  disconnect = (): void => {
    this.isDisconnected = true;
  };

  duplicate(): ObedientClient {
    const copy = new ObedientClient(this.made);
    this.made.push(copy);
    return copy;
  }

  on(event: string, listener: (cause: Error) => void): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
  }

  emit(event: string): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(new TypeError(event));
  }
}

describe('the driver over ioredis', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function open() {
    const made: ObedientClient[] = [];
    const driver = ioredisDriver(new ObedientClient(made));
    const told: string[] = [];
    driver.open({ up: () => told.push('up'), down: () => told.push('down') });
    return { driver, made, told };
  }

  test('replaces a client that has given up for good', async () => {
    const { driver, made, told } = open();
    made[0]?.emit('ready');
    expect(await driver.send(['GET'], 'key')).toBe('GET by 0');
    made[0]?.emit('close');
    made[0]?.emit('end');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(made).toHaveLength(2);
    made[1]?.emit('ready');
    expect(await driver.send(['GET'], 'key')).toBe('GET by 1');
    expect(told).toEqual(['up', 'down', 'down', 'up']);
  });

  test('replaces none once it is closed', async () => {
    const { driver, made } = open();
    await driver.close();
    made[0]?.emit('end');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(made).toHaveLength(1);
    expect(made[0]?.isDisconnected).toBe(true);
  });

  test('takes the command with its arguments out of errors', async () => {
    const { driver, made } = open();
    const client = made[0] as ObedientClient;
    client.call = async () => {
      throw Object.assign(new TypeError('ERR'), { command: { name: 'set', args: ['key', 'record'] } });
    };
    await expect(driver.send(['SET'], 'key')).rejects.not.toHaveProperty('command');
  });
});

/** A cluster with these nodes; gives what its copies were made with. */
function clusterOf(nodes: ReturnType<IoredisCluster['nodes']>) {
  const duplicated: unknown[] = [];
  const given: IoredisCluster = {
    isCluster: true,
    options: { redisOptions: { password: 'secret', tls: {}, commandTimeout: 5 } },
    call: async () => null,
    connect: async () => null,
    disconnect: () => undefined,
    duplicate: (_, overrides) => {
      duplicated.push(overrides);
      return given;
    },
    nodes: () => nodes,
    refreshSlotsCache: () => undefined,
    on: () => undefined,
  };
  return { given, duplicated };
}

describe('the driver over a cluster of ioredis', () => {
  test('drops those connections that answer what nobody asked', async () => {
    const dropped: string[] = [];
    const node = (name: string, answer: (args: string[]) => unknown) => ({
      call: async (_: string, args: string[]) => answer(args),
      disconnect: () => void dropped.push(name),
    });
    const nodes = [node('sound', ([word]) => word), node('shifted', () => [1]), node('proxy', () => 'PONG')];
    ioredisClusterDriver(clusterOf(nodes).given).doubt('key');
    await vi.waitFor(() => expect(dropped).toEqual(['shifted']));
  });

  test('keeps the credentials and TLS of the nodes, and lays its demands over the rest', () => {
    const { given, duplicated } = clusterOf([]);
    ioredisClusterDriver(given);
    expect(duplicated).toMatchObject([
      { redisOptions: { password: 'secret', tls: {}, commandTimeout: undefined } },
    ]);
  });
});
