import { Fault } from '../../core/fault.ts';
import type { Deadline, Deadlines, Expirable } from '../deadlines.ts';
import type { Driver, Send } from './drivers/driver.ts';
import { faultOf, isScriptMissing, meaningOf } from './reply-faults.ts';
import { callOf, firstKeyAt, type Script } from './scripts.ts';

/** How long to wait before a slot that is being moved is asked again. */
const passingMs = 3;
/** A connection that leads to a replica is not dropped more often than this: there may be no master yet. */
const resetEveryMs = 1_000;

/** The driver as the store uses it: every command ends by its deadline, every error is a {@link Fault}. */
export class Link {
  readonly isCluster: boolean;
  readonly #driver: Driver;
  readonly #deadlines: Deadlines;
  readonly #monotonicMs: () => number;
  #state: 'opening' | 'up' | 'down' | 'closed' = 'opening';
  #downCause: unknown;
  #failOpening: (fault: Fault) => void = () => undefined;
  /** Rejects if the first try to connect fails, or the link is closed before. */
  readonly openingFailed: Promise<never>;
  #resetAtMs = Number.NEGATIVE_INFINITY;
  readonly #toMaster: SendTo = (args, key) => this.#driver.send(args, key);

  constructor(driver: Driver, deadlines: Deadlines, monotonicMs: () => number) {
    this.#driver = driver;
    this.isCluster = driver.isCluster;
    this.#deadlines = deadlines;
    this.#monotonicMs = monotonicMs;
    this.openingFailed = new Promise((_, reject) => {
      this.#failOpening = reject;
    });
    // Nobody may be waiting for it.
    this.openingFailed.catch((fault: unknown) => fault);
  }

  /** Whether the first connection is being made and has not failed so far. */
  get isOpening(): boolean {
    return this.#state === 'opening';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Why nothing can be sent, or null while that is not known to be so. */
  get obstacle(): Fault | null {
    if (this.#state === 'closed')
      return new Fault('STORE_CLOSED', 'The Redis store was used after it was closed.');
    if (this.#state !== 'down') return null;
    const cause = this.#downCause;
    // Without its library no server will ever be reached, however often it is tried.
    if (cause instanceof Fault && cause.code === 'CONFIG_INVALID') return cause;
    return new Fault('STORE_FAILED', 'There is no connection to Redis.', { cause });
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
        if (this.obstacle !== null) this.#failOpening(this.obstacle);
      },
    });
  }

  /** Sends a command to the master that serves `key`. */
  send(args: readonly string[], key: string): Promise<unknown> {
    return this.#limited(this.#toMaster, args, key);
  }

  /** Runs a script by its hash, and by its text where the server does not have it yet. */
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.call(script, [...callOf(script, keys.length), ...keys, ...args]);
  }

  /** The same by its command, which begins as {@link callOf} has it. */
  call(script: Script, command: readonly string[]): Promise<unknown> {
    return this.#limited(this.#toMaster, command, command[firstKeyAt] ?? '', script);
  }

  /** One sender for each master. */
  async masters(): Promise<readonly Send[]> {
    const obstacle = this.obstacle;
    if (obstacle !== null) throw obstacle;
    const masters = await this.#deadlines
      .limit(this.#driver.masters(), 'which masters there are')
      .catch(rethrow);
    return masters.map((send) => (args: readonly string[]) => this.#limited(send, args, ''));
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    if (this.obstacle !== null) this.#failOpening(this.obstacle);
    await this.#driver.close();
  }

  #limited(send: SendTo, args: readonly string[], key: string, script?: Script): Promise<unknown> {
    const obstacle = this.obstacle;
    if (obstacle !== null) return Promise.reject(obstacle);
    return new Promise((resolve, reject) => {
      const command = new Command({ send, args, key, script, link: this, resolve, reject });
      command.attempt(this.#deadlines.start(command));
    });
  }

  /** What to make of an error: the fault to reject with, or when to send the command again. */
  judge(error: unknown, deadline: Deadline): Fault | { readonly againInMs: number } {
    const { isPassing, isLostMaster } = meaningOf(error);
    if (this.isClosed) return this.obstacle ?? faultOf(error);
    if (isLostMaster) this.#reset();
    const hasTime = this.#monotonicMs() + passingMs < deadline.endsAtMs;
    return isPassing && hasTime ? { againInMs: passingMs } : faultOf(error);
  }

  /** A command got no answer, or one that cannot be its own: perhaps no other on its connection gets the right one. */
  doubt(key: string): void {
    this.#driver.doubt(key);
  }

  timeout(what: string, key: string): Fault {
    this.doubt(key);
    return this.#deadlines.timeout(what);
  }

  #reset(): void {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#resetAtMs < resetEveryMs) return;
    this.#resetAtMs = nowMs;
    this.#driver.reset();
  }
}

/** Sends a command to whoever serves the key. */
type SendTo = (args: readonly string[], key: string) => Promise<unknown>;

interface CommandParts {
  readonly link: Link;
  readonly send: SendTo;
  readonly args: readonly string[];
  readonly key: string;
  /** The script that `args` names by its hash. */
  readonly script: Script | undefined;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** A command under way. Only what was certainly not executed is sent again. */
class Command implements Expirable {
  readonly #parts: CommandParts;
  #deadline: Deadline | undefined;

  constructor(parts: CommandParts) {
    this.#parts = parts;
  }

  attempt(deadline: Deadline): void {
    this.#deadline = deadline;
    this.#send(this.#parts.args);
  }

  expire(): void {
    const { link, args, key, reject } = this.#parts;
    reject(link.timeout(args[0] ?? 'a command', key));
  }

  #send(args: readonly string[]): void {
    this.#parts
      .send(args, this.#parts.key)
      .then(this.#answered, (error: unknown) => this.#failed(error, args));
  }

  readonly #answered = (reply: unknown): void => {
    this.#deadline?.done();
    this.#parts.resolve(reply);
  };

  #failed(error: unknown, args: readonly string[]): void {
    const { script, link, reject } = this.#parts;
    const deadline = this.#deadline;
    if (deadline === undefined || deadline.isDone) return;
    if (script !== undefined && args[0] === 'EVALSHA' && isScriptMissing(error)) {
      this.#send(['EVAL', script.text, ...args.slice(2)]);
      return;
    }
    const verdict = link.judge(error, deadline);
    if ('againInMs' in verdict) {
      setTimeout(() => this.#send(args), verdict.againInMs);
      return;
    }
    deadline.done();
    reject(verdict);
  }
}

function rethrow(error: unknown): never {
  throw faultOf(error);
}
