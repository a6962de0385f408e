import { Fault } from '../../core/fault.ts';
import type { Deadlines } from './deadlines.ts';
import type { Driver, Send } from './drivers/driver.ts';
import { faultOf, isScriptMissing, meaningOf } from './reply-faults.ts';

/** How long to wait before a slot that is being moved is asked again. */
const passingMs = 3;
/** A connection that leads to a replica is not dropped more often than this: there may be no master yet. */
const resetEveryMs = 1_000;

interface Command {
  readonly args: readonly string[];
  readonly send: Send;
  readonly giveUpAtMs: number;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** The driver as the store uses it: every command ends by its deadline, every error is a {@link Fault}. */
export class Link {
  readonly isCluster: boolean;
  readonly #driver: Driver;
  readonly #deadlines: Deadlines;
  readonly #deadlineMs: number;
  readonly #monotonicMs: () => number;
  #state: 'opening' | 'up' | 'down' | 'closed' = 'opening';
  #downCause: unknown;
  #resetAtMs = Number.NEGATIVE_INFINITY;

  constructor(driver: Driver, deadlines: Deadlines, deadlineMs: number, monotonicMs: () => number) {
    this.#driver = driver;
    this.isCluster = driver.isCluster;
    this.#deadlines = deadlines;
    this.#deadlineMs = deadlineMs;
    this.#monotonicMs = monotonicMs;
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Why nothing can be sent, or null while that is not known to be so. */
  get obstacle(): Fault | null {
    if (this.#state === 'closed')
      return new Fault('STORE_CLOSED', 'The Redis store was used after it was closed.');
    if (this.#state !== 'down') return null;
    return new Fault('STORE_FAILED', 'There is no connection to Redis.', { cause: this.#downCause });
  }

  /** Connects, in the background. `onUp` is told of every connection, the first and later ones. */
  open(onUp: () => void): void {
    this.#driver.open({
      up: () => {
        if (this.#state === 'closed') return;
        this.#state = 'up';
        onUp();
      },
      down: (cause) => {
        if (this.#state === 'closed') return;
        this.#state = 'down';
        this.#downCause = cause;
      },
    });
  }

  /** Sends a command to the master that serves `key`. */
  send(args: readonly string[], key: string): Promise<unknown> {
    return this.#limited(args, (command) => this.#driver.send(command, key));
  }

  /** Runs a script by its hash, and by its text where the server does not have it yet. */
  async run(
    script: { sha: string; text: string },
    keys: readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const key = keys[0] ?? '';
    const tail = [String(keys.length), ...keys, ...args];
    try {
      return await this.send(['EVALSHA', script.sha, ...tail], key);
    } catch (fault) {
      if (!(fault instanceof Fault) || !isScriptMissing(fault.cause)) throw fault;
      return this.send(['EVAL', script.text, ...tail], key);
    }
  }

  /** One sender for each master. */
  async masters(): Promise<readonly Send[]> {
    const obstacle = this.obstacle;
    if (obstacle !== null) throw obstacle;
    const masters = await this.#deadlines.limit(
      this.#driver.masters().catch(this.#fail),
      'which masters there are',
    );
    return masters.map((send) => (args: readonly string[]) => this.#limited(args, send));
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    await this.#driver.close();
  }

  #limited(args: readonly string[], send: Send): Promise<unknown> {
    const obstacle = this.obstacle;
    if (obstacle !== null) return Promise.reject(obstacle);
    return new Promise((resolve, reject) => {
      const done = this.#deadlines.start(() => reject(this.#deadlines.timeout(args[0] ?? '')));
      this.#attempt({
        args,
        send,
        giveUpAtMs: this.#monotonicMs() + this.#deadlineMs,
        resolve(reply) {
          done();
          resolve(reply);
        },
        reject(cause) {
          done();
          reject(cause);
        },
      });
    });
  }

  #attempt(command: Command): void {
    command.send(command.args).then(command.resolve, (error: unknown) => {
      const { isPassing, isLostMaster } = meaningOf(error);
      if (isLostMaster) this.#reset();
      const hasTime = this.#monotonicMs() + passingMs < command.giveUpAtMs;
      if (isPassing && hasTime && !this.isClosed) setTimeout(() => this.#attempt(command), passingMs);
      else command.reject(this.isClosed ? this.obstacle : faultOf(error));
    });
  }

  #reset(): void {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#resetAtMs < resetEveryMs) return;
    this.#resetAtMs = nowMs;
    this.#driver.reset();
  }

  readonly #fail = (error: unknown): never => {
    throw faultOf(error);
  };
}
