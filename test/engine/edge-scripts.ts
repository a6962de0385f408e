import type { DeviceSignal, TrafficEvent } from './oracle/request.ts';

/**
 * Short stories that turn on one millisecond, or on one tie, which random traffic meets too seldom. Each is told with
 * its last steps a little earlier and later.
 */
export interface EdgeScript {
  readonly name: string;
  readonly tell: (offsetMs: number) => readonly TrafficEvent[];
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const chrome = (major: number) => `Mozilla/5.0 Chrome/${major}.0 Safari/537.36`;
const address = (number: number) => `203.0.113.${number}`;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function device(id: string, confidence: DeviceSignal['confidence'] = 'MEDIUM'): DeviceSignal {
  return { id, confidence };
}

function fail(t: number, ip: number, shown?: DeviceSignal, account = 'a'): TrafficEvent {
  const event: TrafficEvent = { t, op: 'fail', action: 'auth.login', account, ip: address(ip) };
  return shown === undefined ? event : { ...event, device: shown };
}

function succeed(t: number, shown: DeviceSignal): TrafficEvent {
  return { t, op: 'succeed', action: 'auth.login', account: 'a', ip: address(1), device: shown };
}

function call(t: number, ua: string, cost: number): TrafficEvent {
  return { t, op: 'consume', action: 'api.heavy', ip: address(1), ua, cost };
}

/** Unlike devices on one network and agent; the last of them fires the rule of churn. */
const churning = (t: number, name: string, count: number) =>
  numbers(count).map((index) => fail(t - (count - 1 - index) * second, 1, device(`${name}${index}`)));

/** One device on six networks; the last of them fires the rule of dilution. */
const diluting = (t: number, from: number) =>
  numbers(6).map((index) => fail(t - (5 - index) * 10 * second, from + index, device('d'), `a${index}`));

export const edgeScripts: readonly EdgeScript[] = [
  {
    name: 'a record ends 72 hours after its last write',
    tell: (offset) => [
      call(0, chrome(1), 1),
      ...numbers(51).map((index) => call(72 * hour - minute + index, chrome(index + 2), 1)),
      call(72 * hour + offset, chrome(1), 100),
      call(72 * hour + 2, 'curl/8', 100),
    ],
  },
  {
    name: 'the book ends 90 days after its last write',
    tell: (offset) => [
      succeed(0, device('d')),
      ...numbers(3).map((index) => fail(90 * day + offset + index, 1, device('d'))),
    ],
  },
  {
    name: 'a budget ends 24 hours after its first failure',
    tell: (offset) => [
      ...numbers(20).map((index) => fail(index * 31 * minute, index + 1)),
      fail(23 * hour, 30),
      fail(day + offset, 31),
      fail(day + hour, 32),
    ],
  },
  {
    name: 'a watch lasts 30 minutes',
    tell: (offset) => [
      ...churning(minute, 'b', 3),
      ...churning(31 * minute + offset, 'c', 3),
      ...churning(61 * minute, 'd', 3),
    ],
  },
  {
    name: 'decay pauses when the block before began within 6 hours',
    tell: (offset) => [
      ...churning(minute, 'b', 4),
      fail(6 * hour + 30 * second, 1),
      ...churning(6 * hour + minute + offset, 'c', 4),
      fail(6 * hour + 9 * minute, 1),
    ],
  },
  {
    name: 'a second dilution counts 10 minutes after the first',
    tell: (offset) => [...diluting(minute, 1), ...diluting(11 * minute + offset, 11), ...diluting(hour, 21)],
  },
  {
    name: 'a first dilution is forgotten after 20 minutes',
    tell: (offset) => [
      ...diluting(minute, 1),
      ...diluting(21 * minute + offset, 11),
      ...diluting(35 * minute, 21),
    ],
  },
  {
    name: 'of equally unused devices the older entry goes',
    tell: (offset) => [
      ...numbers(16).map((index) => succeed(0, device(`d${index}`))),
      ...numbers(10).flatMap((index) => numbers(3).map(() => fail(1, index + 1, device(`d${index}`)))),
      ...numbers(6).map((index) => fail(15 * minute + 1, index + 11, device(`d${index + 10}`))),
      fail(15 * minute + 2 + offset, 1, device('stranger')),
      fail(15 * minute + 3, 1, device('d9')),
      fail(15 * minute + 3, 1, device('d0')),
    ],
  },
  {
    name: 'a flood that goes on blocks every device of its window',
    tell: (offset) => [
      fail(0, 1, device('e', 'LOW')),
      ...numbers(5).map((index) => succeed(minute + index, device(`s${index}`, 'LOW'))),
      succeed(5 * minute, device('e', 'LOW')),
      ...numbers(3).map((index) => succeed(7 * minute + index, device(`s${index + 5}`, 'LOW'))),
      ...numbers(5).map((index) => succeed(10 * minute + index, device(`s${index}`, 'LOW'))),
      succeed(16 * minute + 4 + offset, device('s0', 'LOW')),
      succeed(16 * minute + 5, device('s9', 'LOW')),
      succeed(16 * minute + 6, device('s10', 'LOW')),
      fail(16 * minute + 7, 2, device('e', 'LOW')),
      fail(16 * minute + 8, 2, device('s11', 'LOW')),
    ],
  },
];
