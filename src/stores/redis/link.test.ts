import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Fault } from '../../core/fault.ts';
import { Deadlines } from '../deadlines.ts';
import type { Driver, DriverEvents } from './drivers/driver.ts';
import { Link } from './link.ts';
import { commitScript } from './scripts.ts';

const monotonicMs = () => performance.now();

/** A driver that answers as it is told, command by command; without an answer left it says nothing. */
class ScriptedDriver implements Driver {
  readonly isCluster = false;
  readonly sent: string[] = [];
  readonly doubted: string[] = [];
  resets = 0;
  answers: (Error | string)[] = [];
  events: DriverEvents | undefined;

  open(events: DriverEvents): void {
    this.events = events;
    events.up();
  }

  send([command = '']: readonly string[]): Promise<unknown> {
    this.sent.push(command);
    const answer = this.answers.shift();
    if (answer === undefined) return new Promise(() => undefined);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }

  async masters() {
    return [(args: readonly string[]) => this.send(args)];
  }

  doubt(key: string): void {
    this.doubted.push(key);
  }

  reset(): void {
    this.resets += 1;
  }

  async close(): Promise<void> {
    this.events?.down(null);
  }
}

describe('the link to Redis', () => {
  let driver: ScriptedDriver;
  let link: Link;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    driver = new ScriptedDriver();
    link = new Link(driver, new Deadlines('Redis', 50, monotonicMs), monotonicMs);
    link.open(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('tells a server a script that it does not have', async () => {
    driver.answers = [new Error('NOSCRIPT No matching script.'), 'done'];
    await expect(link.run(commitScript, ['key'], [])).resolves.toBe('done');
    expect(driver.sent).toEqual(['EVALSHA', 'EVAL']);
  });

  test('asks again while a slot is being moved', async () => {
    driver.answers = [new Error('TRYAGAIN'), new Error('TRYAGAIN'), 'moved'];
    const sending = link.send(['MGET', 'a', 'b'], 'a');
    await vi.advanceTimersByTimeAsync(10);
    await expect(sending).resolves.toBe('moved');
  });

  test('gives up a slot that is being moved for too long', async () => {
    driver.answers = Array.from({ length: 100 }, () => new Error('TRYAGAIN'));
    const failing = expect(link.send(['MGET', 'a'], 'a')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await vi.advanceTimersByTimeAsync(60);
    await failing;
    expect(driver.sent.length).toBeLessThan(20);
  });

  test('sends nothing again that may have been executed', async () => {
    driver.answers = [new Error('Connection is closed.'), 'never sent'];
    await expect(link.run(commitScript, ['key'], [])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(driver.sent).toEqual(['EVALSHA']);
  });

  test('ends a command that is not answered, and doubts its connection', async () => {
    const failing = expect(link.send(['MGET', 'a'], 'a')).rejects.toMatchObject({ code: 'STORE_TIMEOUT' });
    await vi.advanceTimersByTimeAsync(60);
    await failing;
    expect(driver.doubted).toEqual(['a']);
  });

  test('looks for the master again when it meets a replica, not more often than once a second', async () => {
    driver.answers = [new Error('READONLY'), new Error('READONLY'), new Error('READONLY')];
    await expect(link.send(['SET'], 'a')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(link.send(['SET'], 'a')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(driver.resets).toBe(1);
    await vi.advanceTimersByTimeAsync(1_001);
    await expect(link.send(['SET'], 'a')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(driver.resets).toBe(2);
  });

  test('sends nothing while there is no connection', async () => {
    const cause = new TypeError('refused');
    driver.events?.down(cause);
    await expect(link.send(['GET'], 'a')).rejects.toMatchObject({ code: 'STORE_FAILED', cause });
    await expect(link.masters()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(driver.sent).toEqual([]);
    driver.events?.up();
    driver.answers = ['back'];
    await expect(link.send(['GET'], 'a')).resolves.toBe('back');
  });

  test('says what is missing where no server could ever be reached', async () => {
    driver.events?.down(new Fault('CONFIG_INVALID', 'npm install redis'));
    await expect(link.send(['GET'], 'a')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'npm install redis',
    });
  });

  test('stays closed, also when the driver comes up after all', async () => {
    const pending = link.send(['GET'], 'a');
    await link.close();
    await link.close();
    await expect(link.send(['GET'], 'a')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    driver.events?.up();
    expect(link.isClosed).toBe(true);
    const ending = expect(pending).rejects.toMatchObject({ code: 'STORE_TIMEOUT' });
    await vi.advanceTimersByTimeAsync(60);
    await ending;
  });
});
