import { Fault } from '../../../core/fault.ts';
import type { Driver, DriverEvents, Send } from './driver.ts';
import { dispose, type NodeRedisClient, noTimeout } from './node-redis-client.ts';
import { Probe } from './probe.ts';
import { CONNECT_MS, isHopeless, pause, reconnectDelayMs, within } from './reconnect.ts';

/** Finds the server and makes a client for it that is not connected yet and does not reconnect by itself. */
export interface Source {
  make(): Promise<NodeRedisClient>;
  /** Rejects if the client leads to a server that may not be written to. */
  check?(client: NodeRedisClient): Promise<void>;
  /** Watches for another server to take over, and calls back when that happens. Returns how to stop. */
  watch?(moved: () => void): () => void;
}

/**
 * One server at a time, by node-redis. Every connection is a client of its own, and the driver makes the next one
 * itself: so nothing that was sent on one connection can be sent again on another.
 */
export class NodeRedisDriver implements Driver {
  readonly isCluster = false;
  readonly #source: Source;
  readonly #probe = new Probe<NodeRedisClient>(
    (client, word) => client.sendCommand(['PING', word], noTimeout),
    (client) => this.#lost(client, noAnswer()),
  );
  #events: DriverEvents | undefined;
  #client: NodeRedisClient | undefined;
  #isClosed = false;
  #unwatch: () => void = () => undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  open(events: DriverEvents): void {
    this.#events = events;
    this.#unwatch = this.#source.watch?.(() => this.reset()) ?? this.#unwatch;
    void this.#connect();
  }

  send(args: readonly string[]): Promise<unknown> {
    const client = this.#client;
    if (client === undefined)
      return Promise.reject(new Fault('STORE_FAILED', 'There is no connection to Redis.'));
    return client.sendCommand(args, noTimeout);
  }

  async masters(): Promise<readonly Send[]> {
    return [(args) => this.send(args)];
  }

  doubt(): void {
    if (this.#client !== undefined) void this.#probe.doubt(this.#client);
  }

  reset(): void {
    if (this.#client !== undefined)
      this.#lost(this.#client, new Fault('STORE_FAILED', 'The connection was dropped.'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
    this.#client?.destroy();
    this.#client = undefined;
  }

  async #connect(): Promise<void> {
    for (let tries = 0; !this.#isClosed; tries += 1) {
      try {
        const client = await this.#attempt();
        if (this.#isClosed) return void client.destroy();
        this.#client = client;
        if (client.isReady) return this.#events?.up();
        this.#client = undefined;
      } catch (cause) {
        this.#events?.down(cause);
        if (isHopeless(cause)) return;
      }
      await pause(reconnectDelayMs(tries));
    }
  }

  async #attempt(): Promise<NodeRedisClient> {
    const client = await this.#source.make();
    client.on('error', (cause) => this.#lost(client, cause));
    try {
      await within(CONNECT_MS, this.#greet(client), noAnswer);
      return client;
    } catch (cause) {
      dispose(client);
      throw cause;
    }
  }

  async #greet(client: NodeRedisClient): Promise<void> {
    await client.connect();
    await this.#source.check?.(client);
  }

  /** A connection that fails before it was in use is the business of the attempt that makes it. */
  #lost(client: NodeRedisClient, cause: unknown): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    this.#events?.down(cause);
    dispose(client);
    void this.#connect();
  }
}

function noAnswer(): Fault {
  return new Fault('STORE_TIMEOUT', 'A connection to Redis does not answer.');
}
