import { describe, expect, it } from 'vitest';
import type { LogEntry, LogFormatName } from './log-entry.ts';
import { openLogFormat } from './log-format.ts';
import { type TimeZone, timeZoneOf } from './time-zone.ts';

/** The times of the entries that a line brings, or what it was taken for. */
function timesOf(name: LogFormatName, line: string, zone?: TimeZone): readonly number[] | string {
  const found: LogEntry[] = [];
  const log = openLogFormat(name, { writtenAt: 1.7e12, zone });
  const kind = log.read(line, (entry) => found.push(entry));
  log.end((entry) => found.push(entry));
  return found.length === 0 ? kind : found.map(({ t }) => t);
}

const failed = 'Failed password for root from 203.0.113.1 port 22 ssh2';
const journal = (time: string): string =>
  JSON.stringify({ __REALTIME_TIMESTAMP: time, MESSAGE: failed, SYSLOG_IDENTIFIER: 'sshd', _PID: '1' });
const access = (time: string): string => `203.0.113.1 - - [${time}] "GET / HTTP/1.1" 200 12`;
const json = (time: unknown): string => JSON.stringify({ time, remote_addr: '203.0.113.1', status: 200 });
const kratos = (time: unknown): string =>
  JSON.stringify({
    time,
    msg: 'Identity authenticated successfully and was issued an Ory Kratos Session Cookie.',
    http_request: { remote: '203.0.113.1:5' },
    identity_id: '5ff66179-c240-4703-b0d8-494592cefff5',
  });

describe('a time without a zone', () => {
  const berlin = timeZoneOf('Europe/Berlin');
  const noon = '2024-07-01 12:00:00';
  const kratosText = `time=${noon.replace(' ', 'T')} level=info msg=Identity authenticated successfully and was issued an Ory Kratos Session Cookie. http_request=map[method:POST remote:203.0.113.1:5 scheme:http] identity_id=5ff66179-c240-4703-b0d8-494592cefff5`;

  it.each<[LogFormatName, string]>([
    ['json', json(noon)],
    ['kratos', kratos(noon)],
    ['kratos', kratosText],
    ['sshd', `${noon} h sshd[1]: ${failed}`],
  ])('is of the zone that was named, in a line of %s: %s', (name, line) => {
    expect(timesOf(name, line, berlin)).toEqual([1_719_828_000_000]);
    expect(timesOf(name, line)).toEqual([1_719_835_200_000]);
  });

  it('is none where the time has one, or is a count since 1970', () => {
    expect(timesOf('json', json('2024-07-01T12:00:00Z'), berlin)).toEqual([1_719_835_200_000]);
    expect(timesOf('json', json('2024-07-01T12:00:00+05:00'), berlin)).toEqual([1_719_817_200_000]);
    expect(timesOf('json', json('1719835200'), berlin)).toEqual([1_719_835_200_000]);
    expect(timesOf('kratos', kratos('2024-07-01T12:00:00Z'), berlin)).toEqual([1_719_835_200_000]);
  });
});

describe('a moment that no date can be', () => {
  it.each<[LogFormatName, string]>([
    ['sshd', journal('9999999999999999999')],
    ['sshd', journal('8640000000000001000')],
    ['sshd', `1970-01-01T00:59:59.999+01:00 h sshd[1]: ${failed}`],
    ['sshd', `<38>1 1970-01-01T00:00:00+00:01 h sshd 1 - - ${failed}`],
    ['nginx', access('01/Jan/1970:00:59:59 +0100')],
    ['json', json('1970-01-01T00:00:00+00:01')],
    ['json', json('99999999999999999999')],
    ['json', json(-1)],
    ['kratos', kratos('1970-01-01T00:00:00+00:01')],
  ])('makes a line of %s one that is not understood: %s', (name, line) => {
    expect(timesOf(name, line)).toBe('unknown');
  });

  it('lies before 1970 in the zone of the log, too', () => {
    const line = `Jan  1 00:59:59 1970 h sshd[1]: ${failed}`;
    expect(timesOf('sshd', line, timeZoneOf('+01:00'))).toBe('unknown');
    expect(timesOf('sshd', line, timeZoneOf('-01:00'))).toEqual([7_199_000]);
  });

  it('is the one after the last, and the one before the first', () => {
    expect(timesOf('sshd', journal('8640000000000000000'))).toEqual([8_640_000_000_000_000]);
    expect(timesOf('sshd', journal('0'))).toEqual([0]);
    expect(timesOf('nginx', access('01/Jan/1970:01:00:00 +0100'))).toEqual([0]);
    expect(timesOf('json', json('1970-01-01T01:00:00+01:00'))).toEqual([0]);
  });
});
