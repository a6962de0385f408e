import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccessLog } from './access-log.ts';
import type { LogEntry } from './log-entry.ts';

function readLine(line: string): LogEntry | string {
  const found: LogEntry[] = [];
  const kind = new AccessLog().read(line, (entry) => found.push(entry));
  expect(found).toHaveLength(kind === 'read' ? 1 : 0);
  return found[0] ?? kind;
}

const t = Date.UTC(2000, 9, 10, 20, 55, 36);
const request = {
  kind: 'request',
  t,
  ip: '203.0.113.7',
  user: null,
  method: 'GET',
  path: '/a?b=1',
  status: 200,
  ua: null,
};
const time = '[10/Oct/2000:13:55:36 -0700]';

describe('lines of nginx and Apache', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    ['common', `203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" 200 2326`, {}],
    [
      'combined',
      `203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" 200 2326 "https://x.example/" "curl/8.5.0"`,
      { ua: 'curl/8.5.0' },
    ],
    ['combined, fields -', `203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" 200 - "-" "-"`, {}],
    [
      'with the virtual host',
      `www.example.com:443 203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" 200 5 "-" "x"`,
      { ua: 'x' },
    ],
    [
      'with a virtual host without a port',
      `www.example.com 203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" 200 5`,
      {},
    ],
    [
      'with a virtual host that is an address',
      `192.0.2.77 203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" 200 5`,
      {},
    ],
    [
      'with a virtual host that is an address, and a user',
      `192.0.2.77 203.0.113.7 - alice the first ${time} "GET /a?b=1 HTTP/1.1" 200 5`,
      { user: 'alice the first' },
    ],
    [
      'of an ingress controller of old',
      `203.0.113.7 - [203.0.113.7] - - ${time} "GET /a?b=1 HTTP/1.1" 200 5`,
      {},
    ],
    [
      'of an ingress controller of old, with a user',
      `203.0.113.7 - [192.0.2.1, 203.0.113.7] - alice ${time} "GET /a?b=1 HTTP/1.1" 200 5`,
      { user: 'alice' },
    ],
    [
      'of an ingress controller of old, whose client names a user in a header',
      `203.0.113.7 - [x] - alice, 203.0.113.7] - - ${time} "GET /a?b=1 HTTP/1.1" 200 5`,
      {},
    ],
    ['IPv6', `2001:db8::1 - - ${time} "GET /a?b=1 HTTP/2.0" 200 0`, { ip: '2001:db8::1' }],
    ['IPv6 with a zone', `fe80::1%eth0 - - ${time} "GET /a?b=1 HTTP/2.0" 200 0`, { ip: 'fe80::1%eth0' }],
    ['IPv4 in IPv6', `::ffff:192.0.2.1 - - ${time} "GET /a?b=1 HTTP/2.0" 200 0`, { ip: '::ffff:192.0.2.1' }],
    [
      'a virtual host before IPv6',
      `[2001:db8::9]:80 2001:db8::1 - - ${time} "GET /a?b=1 HTTP/2.0" 200 0`,
      { ip: '2001:db8::1' },
    ],
    ['a user', `203.0.113.7 - alice ${time} "GET /a?b=1 HTTP/1.1" 200 1`, { user: 'alice' }],
    [
      'a user with spaces',
      `203.0.113.7 - alice the first ${time} "GET /a?b=1 HTTP/1.1" 200 1`,
      { user: 'alice the first' },
    ],
    ['an ident', `203.0.113.7 ident alice ${time} "GET /a?b=1 HTTP/1.1" 200 1`, { user: 'alice' }],
    [
      'an ident that looks like an address',
      `203.0.113.7 198.51.100.9 alice ${time} "GET /a?b=1 HTTP/1.1" 200 1`,
      { user: 'alice' },
    ],
    ['an empty user of Apache', `203.0.113.7 - "" ${time} "GET /a?b=1 HTTP/1.1" 401 1`, { status: 401 }],
    [
      'a user beyond ASCII, escaped by nginx',
      `203.0.113.7 - m\\xC3\\xBCller ${time} "GET /a?b=1 HTTP/1.1" 200 1`,
      { user: 'müller' },
    ],
    [
      'quotes escaped by Apache',
      `203.0.113.7 - - ${time} "GET /a\\"b HTTP/1.1" 404 1 "-" "say \\"hi\\" \\\\"`,
      { path: '/a"b', status: 404, ua: 'say "hi" \\' },
    ],
    [
      'quotes escaped by nginx',
      `203.0.113.7 - - ${time} "GET /a\\x22b HTTP/1.1" 404 1 "-" "say \\x22hi\\x22"`,
      { path: '/a"b', status: 404, ua: 'say "hi"' },
    ],
    [
      'a path with spaces',
      `203.0.113.7 - - ${time} "GET /a b c HTTP/1.1" 400 1`,
      { path: '/a b c', status: 400 },
    ],
    ['HTTP/0.9', `203.0.113.7 - - ${time} "GET /old" 200 1`, { path: '/old' }],
    ['an empty request', `203.0.113.7 - - ${time} "" 400 0 "-" "-"`, { method: '-', path: '-', status: 400 }],
    ['a request -', `203.0.113.7 - - ${time} "-" 408 0 "-" "-"`, { method: '-', path: '-', status: 408 }],
    [
      'a TLS handshake',
      `203.0.113.7 - - ${time} "\\x16\\x03\\x01\\x02\\x00\\x01\\x00\\x01\\xFC\\x03\\x03" 400 157 "-" "-"`,
      { method: '-', path: '-', status: 400 },
    ],
    [
      'words that are no request',
      `203.0.113.7 - - ${time} "\\x03 mstshash=Admin" 400 1`,
      { method: '-', path: '-', status: 400 },
    ],
    ['no status', `203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" - -`, { status: 0 }],
    [
      'fields behind',
      `203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" 200 1 "-" "x" "1.1.1.1" rt=0.1`,
      { ua: 'x' },
    ],
    [
      'an agent that is cut',
      `203.0.113.7 - - ${time} "GET /a?b=1 HTTP/1.1" 200 1 "-" "Mozilla`,
      { ua: 'Mozilla' },
    ],
    [
      'a request that looks like a line',
      `203.0.113.7 - - ${time} "GET /] \\"1.1.1.1 - - [11/Oct/2001:00:00:00 +0000] \\"x HTTP/1.1" 200 1`,
      { path: '/] "1.1.1.1 - - [11/Oct/2001:00:00:00 +0000] "x' },
    ],
    [
      'a user who writes a time',
      `203.0.113.7 - x [11/Oct/2001:00:00:00 +0000] \\x22GET / HTTP/1.1\\x22 ${time} "GET /a?b=1 HTTP/1.1" 200 1`,
      { user: 'x [11/Oct/2001:00:00:00 +0000] "GET / HTTP/1.1"' },
    ],
    [
      'a user who writes a time, at Apache',
      `203.0.113.7 - x [11/Oct/2001:00:00:00 +0000] \\"GET / ${time} "GET /a?b=1 HTTP/1.1" 200 1`,
      { user: 'x [11/Oct/2001:00:00:00 +0000] "GET /' },
    ],
  ];

  it.each(cases)('%s', (_, line, fields) => {
    expect(readLine(line)).toEqual({ ...request, ...fields });
  });

  const unknown: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['prose', 'this is no log'],
    [
      'an error of nginx',
      '2024/03/01 12:00:00 [error] 7#7: *1 open() "/x" failed (2: No such file or directory)',
    ],
    ['a time that is none', '203.0.113.7 - - [40/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1'],
    ['a month that is none', '203.0.113.7 - - [10/Okt/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1'],
    [
      'the 29th of February of another year',
      '203.0.113.7 - - [29/Feb/2001:13:55:36 -0700] "GET / HTTP/1.1" 200 1',
    ],
    ['no request', `203.0.113.7 - - ${time} 200 1`],
    ['a request without an end', `203.0.113.7 - - ${time} "GET / HTTP/1.1`],
    ['no status behind it', `203.0.113.7 - - ${time} "GET / HTTP/1.1"`],
    ['a status of two digits', `203.0.113.7 - - ${time} "GET / HTTP/1.1" 20 1`],
    ['a status that is no number', `203.0.113.7 - - ${time} "GET / HTTP/1.1" 2x0 1`],
    ['nobody', `${time} "GET / HTTP/1.1" 200 1`],
    ['a virtual host behind the address', `203.0.113.7 www.example.com - - ${time} "GET / HTTP/1.1" 200 1`],
    ['only an address', `203.0.113.7 ${time} "GET / HTTP/1.1" 200 1`],
  ];

  it.each(unknown)('%s is not understood', (_, line) => {
    expect(readLine(line)).toBe('unknown');
  });

  it('reads other zones and the leap day', () => {
    const at = (text: string) => readLine(`192.0.2.1 - - [${text}] "GET / HTTP/1.1" 200 1`);
    expect(at('29/Feb/2024:23:59:60 +0545')).toMatchObject({ t: Date.UTC(2024, 1, 29, 18, 15, 0) });
    expect(at('01/Jan/2024:00:00:00 +0000')).toMatchObject({ t: Date.UTC(2024, 0, 1) });
  });
});

/** As nginx writes a variable. */
function nginxEscaped(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      byte < 32 || byte > 126 || byte === 34 || byte === 92
        ? `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`
        : String.fromCharCode(byte),
    )
    .join('');
}

describe('any request', () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .filter((value) => !/\p{Cs}/u.test(value));
  const pathText = text.map((value) => `/${value}`).filter((value) => !/ HTTP\/\S*$/.test(value));
  const userText = text.filter((value) => !['-', ' ', '""'].includes(value) && !/^ | $/.test(value));

  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.ipV4(),
        fc.option(userText),
        fc.constantFrom('GET', 'POST', 'PROPFIND', 'M-SEARCH'),
        pathText,
        fc.integer({ min: 100, max: 599 }),
        fc.option(text.filter((value) => value !== '-')),
        fc.date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true }),
        (ip, user, method, path, status, ua, date) => {
          const [, day, month, year, clock] =
            /^\S+ (\d\d) (\w{3}) (\d{4}) (\S+)/.exec(date.toUTCString()) ?? [];
          const line = `${ip} - ${user === null ? '-' : nginxEscaped(user)} [${day}/${month}/${year}:${clock} +0000] "${method} ${nginxEscaped(path)} HTTP/1.1" ${status} 12 "-" "${ua === null ? '-' : nginxEscaped(ua)}"`;
          const second = Math.floor(date.getTime() / 1_000) * 1_000;
          expect(readLine(line)).toEqual({ kind: 'request', t: second, ip, user, method, path, status, ua });
        },
      ),
      { numRuns: 400 },
    );
  });
});
