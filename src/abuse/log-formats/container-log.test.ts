import { describe, expect, it } from 'vitest';
import type { LogEntry, LogFormatName } from './log-entry.ts';
import { openLogFormat } from './log-format.ts';

/** What became of the lines, and the entries they brought. */
function readAll(lines: readonly string[], name: LogFormatName = 'nginx') {
  const log = openLogFormat(name, { writtenAt: Date.UTC(2024, 6, 1) });
  const entries: LogEntry[] = [];
  const kinds = lines.map((line) => log.read(line, (entry) => entries.push(entry)));
  log.end((entry) => entries.push(entry));
  return { kinds, entries };
}

const access = (path = '/a', ip = '203.0.113.7') =>
  `${ip} - - [01/Mar/2024:11:00:00 +0000] "GET ${path} HTTP/1.1" 200 12 "-" "curl/8"`;
const time = '2024-03-01T11:00:00.123456789Z';
const docker = (log: string, stream = 'stdout') => JSON.stringify({ log, stream, time });
const cri = (line: string, tag = 'F', stream = 'stdout') => `${time} ${stream} ${tag} ${line}`;

describe('a log kept by a container runtime', () => {
  it.each([
    ['Docker', docker(`${access()}\n`)],
    ['Docker, of a terminal', docker(`${access()}\r\n`)],
    [
      'Docker, with attributes',
      JSON.stringify({ log: `${access()}\n`, stream: 'stdout', attrs: { a: 'b' }, time }),
    ],
    ['containerd', cri(access())],
    ['CRI-O', `2024-03-01T12:00:00.123456789+01:00 stdout F ${access()}`],
    ['further tags', cri(access(), 'F:x')],
  ])('is read as what the container wrote: %s', (_, line) => {
    expect(readAll([line])).toEqual(readAll([access()]));
  });

  it.each([
    ['json', '{"time":"2024-03-01T11:00:00Z","remote_addr":"203.0.113.7","status":"200","log":"x"}'],
    ['sshd', 'Mar  1 11:00:00 h sshd[1]: Failed password for root from 203.0.113.7 port 22 ssh2'],
    [
      'kratos',
      '{"time":"2024-03-01T11:00:00Z","msg":"Identity authenticated successfully and was issued an Ory Kratos Session Cookie.","identity_id":"a","http_request":{"remote":"203.0.113.7:5"}}',
    ],
  ] as const)('may be of %s', (name, line) => {
    const plain = readAll([line], name);
    expect(plain).toMatchObject({ kinds: ['read'], entries: [{ ip: '203.0.113.7' }] });
    expect(readAll([docker(`${line}\n`)], name)).toEqual(plain);
    expect(readAll([cri(line)], name)).toEqual(plain);
  });

  it.each([
    [
      'Docker',
      (text: string, isLast: boolean, stream: string) => docker(isLast ? `${text}\n` : text, stream),
    ],
    ['containerd', (text: string, isLast: boolean, stream: string) => cri(text, isLast ? 'F' : 'P', stream)],
  ])('has long lines in pieces, apart by stream: %s', (_, piece) => {
    const long = access(`/${'x'.repeat(20_000)}`);
    const { kinds, entries } = readAll([
      piece(long.slice(0, 16_384), false, 'stdout'),
      piece(access('/other'), true, 'stderr'),
      piece(long.slice(16_384), true, 'stdout'),
      piece(access('/next'), true, 'stdout'),
    ]);
    expect(kinds).toEqual(['read', 'read', 'read', 'read']);
    expect(entries.map((entry) => entry.kind === 'request' && entry.path.length)).toEqual([6, 20_001, 5]);
  });

  it('does not understand a line that never ends, nor takes its end for one', () => {
    const pieces = Array.from({ length: 300 }, () => cri('x'.repeat(16_384), 'P'));
    const { kinds, entries } = readAll([...pieces, cri(access('/forged')), cri(access('/next'))]);
    expect(kinds.slice(-2)).toEqual(['unknown', 'read']);
    expect(entries).toMatchObject([{ path: '/next' }]);
  });

  it('may hold empty lines', () => {
    expect(readAll([docker('\n'), cri('')]).kinds).toEqual(['other', 'other']);
  });

  it('is not understood where the container wrote something else', () => {
    for (const name of ['nginx', 'json', 'kratos', 'sshd'] as const)
      expect(readAll([docker('hello\n'), cri('hello')], name).kinds).toEqual(['unknown', 'unknown']);
  });

  it('is only what looks like one', () => {
    const own = '{"log":"app.log","time":"2024-03-01T11:00:00Z","remote_addr":"203.0.113.7","status":200}';
    expect(readAll([own], 'json').kinds).toEqual(['read']);
    const host = `2024-03-01T11:00:00Z stdout sshd[1]: Failed password for root from 203.0.113.7 port 22 ssh2`;
    expect(readAll([host], 'sshd').kinds).toEqual(['read']);
  });
});
