import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClientOfPeer, JsonAccessLog, withoutPort } from './json-access-log.ts';
import type { LogEntry } from './log-entry.ts';
import { utc } from './time-zone.ts';

function readLine(fields: unknown, clientOf: ClientOfPeer | null = null): LogEntry | string {
  const found: LogEntry[] = [];
  const text = typeof fields === 'string' ? fields : JSON.stringify(fields);
  const kind = new JsonAccessLog(clientOf, utc).read(text, (entry) => found.push(entry));
  return found[0] ?? kind;
}

const expected = {
  kind: 'request',
  t: Date.UTC(2024, 2, 1, 11),
  ip: '203.0.113.7',
  user: null,
  method: 'GET',
  path: '/a?b=1',
  status: 404,
  ua: 'curl/8',
};

describe('access logs in JSON', () => {
  const cases: readonly (readonly [string, object, object])[] = [
    [
      'nginx',
      {
        time_iso8601: '2024-03-01T12:00:00+01:00',
        remote_addr: '203.0.113.7',
        remote_user: '',
        request_method: 'GET',
        request_uri: '/a?b=1',
        status: '404',
        http_user_agent: 'curl/8',
      },
      {},
    ],
    [
      'nginx, the request whole',
      {
        time_local: '01/Mar/2024:12:00:00 +0100',
        remote_addr: '203.0.113.7',
        remote_user: 'ann',
        request: 'GET /a?b=1 HTTP/1.1',
        status: 404,
        http_user_agent: 'curl/8',
      },
      { user: 'ann' },
    ],
    [
      'nginx, msec',
      { msec: '1709290800.250', remote_addr: '2001:db8::1', request: 'GET /a?b=1 HTTP/1.1', status: 404 },
      { t: expected.t + 250, ip: '2001:db8::1', ua: null },
    ],
    [
      'Caddy',
      {
        level: 'info',
        ts: 1709290800.5,
        logger: 'http.log.access',
        msg: 'handled request',
        request: {
          remote_ip: '203.0.113.7',
          remote_port: '41342',
          client_ip: '203.0.113.7',
          proto: 'HTTP/2.0',
          method: 'GET',
          host: 'localhost',
          uri: '/a?b=1',
          headers: { 'User-Agent': ['curl/8'] },
        },
        user_id: '',
        status: 404,
      },
      { t: expected.t + 500 },
    ],
    [
      'Traefik',
      {
        ClientAddr: '203.0.113.7:52342',
        ClientHost: '203.0.113.7',
        ClientUsername: '-',
        DownstreamStatus: 404,
        RequestMethod: 'GET',
        RequestPath: '/a?b=1',
        StartUTC: '2024-03-01T11:00:00.000000001Z',
        time: '2024-03-01T11:00:07Z',
        'request_User-Agent': 'curl/8',
      },
      {},
    ],
    [
      'pino-http',
      {
        level: 30,
        time: 1709290800000,
        req: {
          method: 'GET',
          url: '/a?b=1',
          headers: { 'user-agent': 'curl/8' },
          remoteAddress: '203.0.113.7',
        },
        res: { statusCode: 404 },
      },
      {},
    ],
    [
      'the Elastic schema, nested and flat',
      {
        '@timestamp': '2024-03-01T11:00:00Z',
        source: { ip: '203.0.113.7' },
        'http.request.method': 'GET',
        url: { original: '/a?b=1' },
        http: { response: { status_code: 404 } },
        user_agent: { original: 'curl/8' },
      },
      {},
    ],
    [
      'Google Cloud Logging',
      {
        insertId: '1x2y3z',
        httpRequest: {
          requestMethod: 'GET',
          requestUrl: 'https://shop.example/a?b=1',
          status: 404,
          userAgent: 'curl/8',
          remoteIp: '203.0.113.7',
          serverIp: '10.0.0.1',
          latency: '0.012s',
        },
        resource: { type: 'http_load_balancer' },
        timestamp: '2024-03-01T11:00:00Z',
        receiveTimestamp: '2024-03-01T11:00:07.5Z',
      },
      { path: 'https://shop.example/a?b=1' },
    ],
    [
      'a broken request',
      {
        time: 1709290800,
        remote_addr: '203.0.113.7',
        request: '\u0016\u0003\u0001',
        status: 404,
        user_agent: 'curl/8',
      },
      { method: '-', path: '-' },
    ],
  ];

  it.each(cases)('%s', (_, fields, others) => {
    expect(readLine(fields)).toEqual({ ...expected, ...others });
  });

  it('passes over what tells of no request at a time of its own', () => {
    expect(readLine({ ts: 1709290800.5, level: 'info', msg: 'serving initial configuration' })).toBe('other');
    expect(readLine({ time: 1709290800000, msg: 'health', status: 'ok' })).toBe('other');
  });

  const whole = { time: 1709290800, remote_addr: '203.0.113.7', request: 'GET / HTTP/1.1', status: 200 };

  it.each<[string, unknown]>([
    ['no field that is known', { msg: 'started' }],
    [
      'names that are foreign',
      {
        start_time: '2024-07-01T12:00:01Z',
        downstream_remote_address: '203.0.113.7:5123',
        response_code: 200,
      },
    ],
    ['a request, and all but its line under foreign names', { time: 1709290800, method: 'GET', path: '/' }],
    ['a request line alone', { time: 1709290800, request: 'GET / HTTP/1.1' }],
    ['no address', { ...whole, remote_addr: undefined }],
    ['no time', { ...whole, time: undefined }],
    ['a time that is none', { ...whole, time: 'yesterday' }],
    ['no status', { ...whole, status: undefined }],
    ['a status that is none', { ...whole, status: 'ok' }],
    ['a list', []],
    ['a number', '7'],
    ['half an object', '{"a":'],
    ['no JSON', 'x'],
  ])('does not understand %s', (_, fields) => {
    expect(readLine(fields)).toBe('unknown');
  });

  it.each([
    ['a quote and a backslash of nginx', String.raw`a\x22b\x5Cx22c`, String.raw`a"b\x22c`],
    ['letters of nginx', String.raw`M\xC3\xBCller`, 'Müller'],
    ['a handshake', String.raw`\x16\x03\x01\xFF`, '\x16\x03\x01\xff'],
    ['a quote and a tab of Apache', String.raw`a\"b\\x22c\v\t\x01`, 'a"b\\x22c\v\t\x01'],
    [
      'what would be a field',
      String.raw`x\x22,\x22remote_addr\x22:\x22198.51.100.9`,
      'x","remote_addr":"198.51.100.9',
    ],
  ])('reads escapes that are none of JSON: %s', (_, written, ua) => {
    const line = JSON.stringify({ ...whole, http_user_agent: '@' }).replace('@', () => written);
    expect(readLine(line)).toMatchObject({ ip: '203.0.113.7', ua });
  });

  it('reads any agent that nginx has escaped in its own way', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (ua) => {
        fc.pre(ua !== '-');
        const written = [...Buffer.from(ua)].map((byte) =>
          byte < 32 || byte > 126 || byte === 34 || byte === 92
            ? `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`
            : String.fromCharCode(byte),
        );
        const line = JSON.stringify({ ...whole, http_user_agent: '@' }).replace('@', () => written.join(''));
        expect(readLine(line)).toMatchObject({ ip: '203.0.113.7', ua });
      }),
      { numRuns: 300 },
    );
  });

  it('asks for the client behind a proxy only where a header was told', () => {
    const fields = { time: 1709290800, remote_addr: '10.0.0.1', request: 'GET / HTTP/1.1', status: 200 };
    const behind: ClientOfPeer = (peer, header) => `${header('x-forwarded-for')} behind ${peer}`;
    expect(readLine(fields, behind)).toMatchObject({ ip: '10.0.0.1' });
    expect(readLine({ ...fields, http_x_forwarded_for: '203.0.113.9' }, behind)).toMatchObject({
      ip: '203.0.113.9 behind 10.0.0.1',
    });
    expect(readLine({ ...fields, http_x_forwarded_for: '203.0.113.9' })).toMatchObject({ ip: '10.0.0.1' });
  });

  it('counts a failed request once, of which Caddy tells twice', () => {
    const request = { remote_ip: '203.0.113.7', method: 'GET', uri: '/' };
    const line = { ts: 1709290800, request, status: 502 };
    expect(readLine({ ...line, logger: 'http.log.error' })).toBe('other');
    expect(readLine({ ...line, logger: 'http.log.error.log0' })).toBe('other');
    expect(readLine({ ...line, logger: 'http.log.access' })).toMatchObject({ status: 502 });
  });

  it('prefers what the client has sent to the file that was found for it', () => {
    const fields = { time: 1709290800, remote_addr: '203.0.113.7', status: 200 };
    const sent = 'GET /list?page=5 HTTP/1.1';
    expect(readLine({ ...fields, request: sent, uri: '/index.php', request_method: 'GET' })).toMatchObject({
      path: '/list?page=5',
    });
    expect(readLine({ ...fields, request: sent, request_uri: '/other' })).toMatchObject({ path: '/other' });
  });

  it.each([
    ['the Elastic schema', { url: { path: '/list', query: 'page=5' } }, '/list?page=5'],
    ['nginx', { uri: '/list', args: 'page=5' }, '/list?page=5'],
    ['nginx, without a query', { uri: '/list', args: '' }, '/list'],
    ['a path that has it', { path: '/list?page=5', query_string: 'page=5' }, '/list?page=5'],
  ])('puts the query behind the path: %s', (_, names, path) => {
    const fields = { time: 1709290800, remote_addr: '203.0.113.7', status: 200, method: 'GET' };
    expect(readLine({ ...fields, ...names })).toMatchObject({ path });
  });

  it('hands on every value of a forwarding header, for the client wrote the first', () => {
    const headers = { 'X-Forwarded-For': ['203.0.113.66', '198.51.100.7'] };
    const request = { remote_ip: '10.0.0.1', method: 'GET', uri: '/', headers };
    expect(
      readLine({ ts: 1709290800, request, status: 200 }, (_, header) => `${header('x-forwarded-for')}`),
    ).toMatchObject({ ip: '203.0.113.66, 198.51.100.7' });
  });

  it('takes any JSON without a throw, and tells whole numbers only', () => {
    const keys = ['ts', 'time', 'remote_addr', 'status', 'request', 'user', 'request_method', 'request_uri'];
    const fields = fc.dictionary(
      fc.constantFrom(...keys),
      fc.oneof(fc.jsonValue(), fc.double(), fc.date().map(String)),
    );
    fc.assert(
      fc.property(fields, (given) => {
        const found = readLine(given);
        if (typeof found === 'string') return;
        expect(Number.isSafeInteger(found.t) && found.t >= 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

it.each([
  ['203.0.113.7:80', '203.0.113.7'],
  ['203.0.113.7', '203.0.113.7'],
  ['[2001:db8::1]:80', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['', ''],
])('%s without its port is %s', (text, address) => {
  expect(withoutPort(text)).toBe(address);
});
