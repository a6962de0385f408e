import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { createLog, type LogOptions } from './log.ts';
import type { LogFields } from './log-fields.ts';

type Line = Readonly<Record<string, unknown>>;

function logged(options: LogOptions = {}) {
  const texts: string[] = [];
  const time = { now: 5000 };
  const log = createLog({
    clock: () => time.now,
    ...options,
    destination: { write: (text: string) => texts.push(text) },
  });
  return { log, time, texts, lines: () => texts.map((text) => JSON.parse(text) as Line) };
}

describe('createLog', () => {
  it('writes JSON lines with level, time, message and fields', () => {
    const { log, lines } = logged();
    log.warn({ policy: 'login', from: 'NORMAL', to: 'DEGRADED' }, 'a policy changed its mode');
    expect(lines()).toEqual([
      {
        level: 'warn',
        time: 5000,
        policy: 'login',
        from: 'NORMAL',
        to: 'DEGRADED',
        msg: 'a policy changed its mode',
      },
    ]);
  });

  it.each<[object, string]>([
    [
      { linesPerSec: 10 },
      'linesPerSec is no option of a log: there are level, destination, linesPerSecond, clock',
    ],
    [
      { linesPerSecond: 'many' },
      'linesPerSecond must be a number of at least 1, got a string of 4 characters',
    ],
    [{ linesPerSecond: 0 }, 'linesPerSecond must be a number of at least 1, got the integer 0'],
    [
      { level: 'inof' },
      'level must be one of trace, debug, info, warn, error, fatal, silent, got a string of',
    ],
    [{ clock: 5 }, 'clock must be a function'],
  ])('refuses what is no option of it: %j', (options, message) => {
    expect(() => createLog(options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it('writes from its level on, which can be changed', () => {
    const { log, lines } = logged({ level: 'warn' });
    log.info({}, 'one');
    expect(log.writes('info')).toBe(false);
    log.setLevel('debug');
    log.debug({}, 'two');
    log.setLevel('silent');
    log.fatal({}, 'three');
    expect(lines().map(({ msg }) => msg)).toEqual(['two']);
  });

  it('has no field for an identifier, and counts what it left out', () => {
    const { log, lines } = logged();
    const smuggled = { policy: 'login', ip: '192.0.2.1', account: 'a', headers: {}, url: '/x' } as LogFields;
    log.info(smuggled, 'x');
    expect(lines()).toEqual([{ level: 'info', time: 5000, policy: 'login', droppedFields: 4, msg: 'x' }]);
  });

  it('shows a fault with its message, and of any other error only what it is and where', () => {
    const { log, lines, texts } = logged();
    log.error({ error: new Fault('STORE_FAILED', 'gone', { cause: new TypeError('key alice') }) }, 'x');
    log.error({ error: new RangeError('value for bob@example.org\n    at bob@example.org (b:1:1)') }, 'y');
    const [fault, bug] = lines();
    expect(fault?.error).toMatchObject({
      code: 'STORE_FAILED',
      message: 'gone',
      cause: { name: 'TypeError' },
    });
    expect(bug?.error).toMatchObject({ name: 'RangeError' });
    expect(texts.join('')).not.toMatch(/alice|bob@/);
  });

  it.each([
    ['an IPv4 address', 'seen 192.0.2.17 twice', 'seen [address] twice'],
    ['an IPv6 address', 'from 2001:db8::17:2, again', 'from [address], again'],
    ['a mapped address', 'from ::ffff:192.0.2.1', 'from [address]'],
    ['an email address', 'owner alice@example.org called', 'owner [account] called'],
    ['an address at the end of a sentence', 'It was 2001:db8::17.', 'It was [address].'],
    ['an address with a port', 'from [2001:db8::1]:443, 192.0.2.1:80', 'from [[address]]:443, [address]:80'],
    ['a time of day', 'at 12:30:15 and 12:30', 'at 12:30:15 and 12:30'],
    ['a block id', 'login:K4:Wm0aQ', 'login:K4:Wm0aQ'],
  ])('treats %s in free text as it should', (_, why, shown) => {
    const { log, lines } = logged();
    log.info({ why }, 'an operator acted');
    expect(lines()[0]?.why).toBe(shown);
  });

  it('says how many lines it left out', () => {
    const { log, time, lines } = logged({ linesPerSecond: 2 });
    for (let n = 0; n < 10; n += 1) log.warn({ count: n }, 'many');
    time.now += 1000;
    log.info({}, 'later');
    expect(lines().map(({ msg, count }) => [msg, count])).toEqual([
      ['many', 0],
      ['many', 1],
      ['log lines were left out: too many a second', 8],
      ['later', undefined],
    ]);
  });

  it('hides no error behind a flood of warnings', () => {
    const { log, lines } = logged({ linesPerSecond: 2 });
    for (let n = 0; n < 10; n += 1) log.warn({}, 'many');
    log.error({}, 'grave');
    expect(lines().filter(({ level }) => level === 'error')).toMatchObject([{ msg: 'grave' }]);
  });

  it('says so at the level error too', () => {
    const { log, time, lines } = logged({ linesPerSecond: 2, level: 'error' });
    for (let n = 0; n < 10; n += 1) log.error({}, 'many');
    time.now += 1000;
    log.error({}, 'later');
    expect(lines().slice(2)).toMatchObject([
      { level: 'error', msg: 'log lines were left out: too many a second', count: 8 },
      { level: 'error', msg: 'later' },
    ]);
  });

  it('keeps the count while the log is at a level where it cannot be told', () => {
    const { log, time, lines } = logged({ linesPerSecond: 2 });
    for (let n = 0; n < 10; n += 1) log.warn({}, 'many');
    time.now += 1000;
    log.setLevel('fatal');
    log.fatal({}, 'the worst');
    log.setLevel('info');
    log.info({}, 'later');
    expect(lines().slice(2)).toMatchObject([
      { msg: 'the worst' },
      { msg: 'log lines were left out: too many a second', count: 8 },
      { msg: 'later' },
    ]);
  });

  it('writes one bounded line of JSON for whatever it is given', () => {
    const control = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.anything()),
        fc.string({ unit: 'binary' }),
        fc.anything(),
        (fields, message, value) => {
          const { log, texts } = logged();
          log.error(
            { ...fields, why: value as string, error: value, problems: value as string[] } as LogFields,
            message,
          );
          expect(texts).toHaveLength(1);
          const text = texts[0] ?? '';
          expect(text.endsWith('\n')).toBe(true);
          expect(control.test(text.slice(0, -1))).toBe(false);
          JSON.parse(text);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('bounds long texts and lists', () => {
    const { log, texts } = logged();
    const long = 'x'.repeat(100_000);
    log.error(
      { why: long, problems: Array.from({ length: 1000 }, () => long), file: long, stack: long },
      long,
    );
    expect(texts[0]?.length).toBeLessThan(40_000);
  });
});
