import { Pool } from 'undici';
import type { Clock } from './clock.ts';
import { ExpiryWatch } from './expiry-watch.ts';
import { Occupancy } from './occupancy.ts';
import type { Attempt, Endpoint, Outcome, Transport } from './transport.ts';
import { Exchange } from './undici-exchange.ts';

/** Endpoints over undici. */
export function undiciTransport(clock: Clock): Transport {
  const watch = new ExpiryWatch(clock);
  return { open: (origin, connections) => new UndiciEndpoint(origin, connections, watch) };
}

/** Sends over a pool of HTTP/1.1 connections to one origin. */
class UndiciEndpoint implements Endpoint {
  readonly #pool: Pool;
  readonly #watch: ExpiryWatch;
  readonly #occupancy: Occupancy;
  #underWay = 0;
  #onIdle: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  constructor(origin: string, connections: number, watch: ExpiryWatch) {
    this.#pool = new Pool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });
    this.#watch = watch;
    this.#occupancy = new Occupancy(connections);
  }

  send(attempt: Attempt): Promise<Outcome> {
    return new Promise((resolve) => {
      const { method, path, headers, body } = attempt;
      const exchange = new Exchange(attempt, this.#watch, this.#occupancy, resolve, this.#noteEnd);
      this.#underWay += 1;
      if (exchange.begin()) this.#pool.dispatch({ method, path, headers, body }, exchange);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeWhenIdle();
    return this.#closing;
  }

  /**
   * The close of undici only refuses what comes from now on. It is not waited for: it waits for what was given up too, until
   * there is a connection for it, or ten seconds.
   */
  async #closeWhenIdle(): Promise<void> {
    void this.#pool.close();
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await this.#pool.destroy();
  }

  readonly #noteEnd = (): void => {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#onIdle?.();
  };
}
