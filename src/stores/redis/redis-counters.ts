import { performance } from 'node:perf_hooks';
import { Fault, shapeOf } from '../../core/fault.ts';
import { Deadlines } from '../deadlines.ts';
import type { CountedHit, CounterState, CounterStep, ExpiringCounters } from '../expiring-counters.ts';
import { isUnreadable } from '../unreadable.ts';
import type { Driver } from './drivers/driver.ts';
import { Link } from './link.ts';
import { countScript, takeBackScript } from './scripts.ts';
import { isTagged, setAsideUnless } from './set-aside.ts';

/** Counters that can be waited for. */
export interface RedisCounters extends ExpiringCounters {
  /** Resolves once the server is reached; rejects with `STORE_FAILED` as soon as a try to reach it has failed. */
  ready(): Promise<void>;
}

/**
 * Plain counters in Redis, as `INCR` and `EXPIRE` make them: any program can read them and count along. Each counter is
 * changed by one small script, and all scripts of a call leave together, so that a call takes one round trip, on a cluster
 * too. What is no counter under a counter's name is set aside: the call that meets it rejects with `RECORD_CORRUPT`, and the
 * next one counts from the beginning. See `createRedisCounters`.
 */
export class DrivenRedisCounters implements RedisCounters {
  readonly #link: Link;
  readonly #deadlines: Deadlines;
  readonly #up: Promise<void>;
  #isUp = false;

  constructor(driver: Driver, deadlineMs: number, monotonicMs = () => performance.now()) {
    this.#deadlines = new Deadlines('Redis', deadlineMs, monotonicMs);
    this.#link = new Link(driver, this.#deadlines, monotonicMs);
    this.#up = new Promise((resolve) => {
      this.#link.open(() => {
        this.#isUp = true;
        resolve();
      });
    });
  }

  async ready(): Promise<void> {
    if (this.#isUp) return;
    const obstacle = this.#link.obstacle;
    if (obstacle !== null) throw obstacle;
    await Promise.race([this.#up, this.#link.openingFailed]);
  }

  async add(steps: readonly CounterStep[]): Promise<readonly CounterState[]> {
    return this.#counting(steps, async () => {
      const replies = await Promise.all(
        steps.map((step) => this.#link.run(countScript, keysOf(step), [String(step.windowMs)])),
      );
      return replies.map(stateIn);
    });
  }

  async takeBack(hits: readonly CountedHit[]): Promise<void> {
    await this.#counting(hits, () =>
      Promise.all(
        hits.map((hit) => this.#link.run(takeBackScript, keysOf(hit), ['hit', String(hit.remainingMs)])),
      ),
    );
  }

  async takeShare(key: string, share: string): Promise<void> {
    const counter = { key, share };
    await this.#counting([counter], () => this.#link.run(takeBackScript, keysOf(counter), ['share']));
  }

  async remove(keys: readonly string[]): Promise<void> {
    if (!this.#isUp) await this.#opened();
    await Promise.all(keys.map((key) => this.#link.send(['DEL', key], key)));
  }

  /** Writes, because a read would not tell a master from a replica. */
  async ping(): Promise<void> {
    if (!this.#isUp) await this.#opened();
    const key = 'portcullis-ping:counters';
    await this.#link.send(['SET', key, '1', 'PX', '1000'], key);
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  async #counting<T>(counters: readonly Named[], work: () => Promise<T>): Promise<T> {
    if (!this.#isUp) await this.#opened();
    try {
      return await work();
    } catch (cause) {
      if (!isUncountable(cause)) throw cause;
      await Promise.allSettled(counters.flatMap((counter) => this.#setAside(counter)));
      throw notACounter(cause);
    }
  }

  /** A share that is a text is written anew where it cannot be read. */
  #setAside(counter: Named): Promise<boolean>[] {
    const [key = '', share] = keysOf(counter);
    const moving = [setAsideUnless(this.#link, key, (stored) => counted.test(stored))];
    if (share !== undefined) moving.push(setAsideUnless(this.#link, share, () => true));
    return moving;
  }

  #opened(): Promise<void> {
    return this.#deadlines.limit(this.ready(), 'the first connection');
  }
}

type Named = Pick<CounterStep, 'key' | 'share'>;

/** What counting leaves: at least the one hit, and as many digits as are always exact. */
const counted = /^[1-9]\d{0,14}$/;

/** Whether a call has failed because of what is stored under the name of a counter. */
function isUncountable(cause: unknown): boolean {
  if (isUnreadable(cause)) return true;
  return cause instanceof Fault && cause.cause instanceof Error && uncountable.test(cause.cause.message);
}

const uncountable = /\b(value is not an integer or out of range|increment or decrement would overflow)\b/;

function notACounter(cause: unknown): Fault {
  return new Fault('RECORD_CORRUPT', 'A counter in Redis is something else than a whole number.', { cause });
}

/** A share lies in the slot of its counter: its hash tag is what decides the counter's slot. */
function keysOf({ key, share }: Named): readonly string[] {
  return share === null ? [key] : [key, shareKey(key, share)];
}

function shareKey(key: string, share: string): string {
  return isTagged(key) ? `${key}:from:${share}` : `{${key}}:from:${share}`;
}

function stateIn(reply: unknown): CounterState {
  const [count = Number.NaN, remainingMs = Number.NaN] = Array.isArray(reply) ? reply.map(Number) : [];
  if (Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(remainingMs)) {
    return { count, remainingMs };
  }
  // Below one it began with a debt, which would be as many tries for nothing.
  if (Number.isInteger(count)) throw notACounter(`Redis has counted to ${count}`);
  throw new Fault('STORE_FAILED', `Redis answered with ${shapeOf(reply)} where a count was due.`);
}
