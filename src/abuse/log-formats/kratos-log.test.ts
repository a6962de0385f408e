import { describe, expect, it } from 'vitest';
import type { ClientOfPeer } from './json-access-log.ts';
import { KratosLog } from './kratos-log.ts';
import type { LineKind, LogEntry } from './log-entry.ts';
import { utc } from './time-zone.ts';

function readAll(lines: readonly string[], clientOf: ClientOfPeer | null = null) {
  const log = new KratosLog(clientOf, utc);
  const entries: LogEntry[] = [];
  const kinds: LineKind[] = lines.map((line) => log.read(line, (entry) => entries.push(entry)));
  log.end();
  return { entries, kinds };
}

const invalid =
  'I[#/] S[] the provided credentials are invalid, check for spelling mistakes in your password or username, email address, or phone number';

const request = {
  headers: { 'user-agent': 'Mozilla/5.0', 'x-forwarded-for': '203.0.113.7' },
  host: 'auth.example',
  method: 'POST',
  path: '/self-service/login',
  query: null,
  remote: '10.0.0.1:55308',
  scheme: 'http',
};

const line = (fields: object): string =>
  JSON.stringify({
    audience: 'audit',
    level: 'info',
    time: '2024-03-01T11:00:00Z',
    http_request: request,
    ...fields,
  });

const flow = (identifier: unknown) => ({
  id: '9b527900-2199-4221-9252-7971b3362282',
  ui: {
    nodes: [
      { type: 'input', attributes: { name: 'csrf_token', value: 'x' } },
      { type: 'input', attributes: { name: 'identifier', value: identifier } },
    ],
  },
});

const failed = (error: string, identifier: unknown = 'ann@example.com') =>
  line({
    msg: 'Encountered self-service login error.',
    error: { message: error },
    login_flow: flow(identifier),
  });

const granted = {
  msg: 'Identity authenticated successfully and was issued an Ory Kratos Session Cookie.',
  identity_id: '5ff66179-c240-4703-b0d8-494592cefff5',
  session_id: 'dbd5cd34-c240-4703-b0d8-494592cefff5',
};

const entry = {
  kind: 'login',
  t: Date.UTC(2024, 2, 1, 11),
  op: 'fail',
  action: 'auth.login',
  account: 'ann@example.com',
  ip: '10.0.0.1',
  ua: 'Mozilla/5.0',
  device: null,
  cost: 1,
};

describe('JSON logs', () => {
  it('tell of wrong passwords, with the identifier', () => {
    expect(readAll([failed(invalid)])).toEqual({ entries: [entry], kinds: ['read'] });
  });

  it('are read behind the name that Compose writes before each line', () => {
    const lines = [`kratos-1  | ${failed(invalid)}`, `auth_kratos_1 | ${line(granted)}`];
    expect(readAll(lines).entries).toEqual([
      entry,
      { ...entry, op: 'succeed', account: granted.identity_id },
    ]);
  });

  it('tell of wrong codes', () => {
    const codes = [
      'I[#/] S[] the provided authentication code is invalid, please try again.',
      'The login code is invalid or has already been used. Please try again.',
      'I[#/] S[] the backup recovery code is not valid',
      'I[#/] S[] This backup recovery code has already been used.',
    ];
    expect(
      readAll(codes.map((code) => failed(code))).entries.map((found) => 'action' in found && found.action),
    ).toEqual(Array(4).fill('auth.otp'));
  });

  it('tell of logins, cookie or token, in old and new words', () => {
    const { entries } = readAll([
      line(granted),
      line({ ...granted, msg: granted.msg.replace('Cookie', 'Token') }),
      line({ ...granted, msg: granted.msg.replace('Ory', 'ORY') }),
    ]);
    expect(entries).toEqual(Array(3).fill({ ...entry, op: 'succeed', account: granted.identity_id }));
  });

  it('tell of other errors of the flow, which are no attempts', () => {
    const { entries, kinds } = readAll([
      failed('login flow expired'),
      failed('I[#/password] S[#/required] missing properties'),
      failed('A valid session was detected and thus login is not possible.'),
      line({ msg: 'No valid session cookie found.' }),
      line({ msg: 'started handling request' }),
    ]);
    expect([entries, kinds]).toEqual([[], Array(5).fill('other')]);
  });

  it('do not always name somebody', () => {
    const { entries, kinds } = readAll([
      failed(invalid, ''),
      failed(invalid, null),
      line({ msg: granted.msg }),
    ]);
    expect([entries, kinds]).toEqual([[], ['nameless', 'nameless', 'nameless']]);
  });

  it('are known to be damaged where they are', () => {
    const whole = failed(invalid);
    expect(
      readAll([whole.slice(0, -3), line({ msg: granted.msg, identity_id: 'x', time: 'noon' })]).kinds,
    ).toEqual(['unknown', 'unknown']);
  });

  it('tell headers, of which trusted proxies make use', () => {
    const { entries } = readAll(
      [failed(invalid)],
      (peer, header) => `${header('x-forwarded-for')} behind ${peer}`,
    );
    expect(entries).toEqual([{ ...entry, ip: '203.0.113.7 behind 10.0.0.1' }]);
  });

  it('are not understood where an error is nested without end', () => {
    const nested = failed('deep').replace('"deep"', `${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    expect(readAll([nested])).toEqual({ entries: [], kinds: ['unknown'] });
  });

  it('tell all values of a header that stands several times', () => {
    const headers = { 'x-forwarded-for': ['203.0.113.66', '198.51.100.7'] };
    const { entries } = readAll(
      [line({ ...granted, http_request: { ...request, headers } })],
      (_, header) => `${header('x-forwarded-for')}`,
    );
    expect(entries).toMatchObject([{ ip: '203.0.113.66, 198.51.100.7' }]);
  });
});

describe('text logs', () => {
  const start = 'time=2024-03-01T11:00:00Z level=info msg=';
  const http =
    'http_request=map[headers:map[accept:*/* user-agent:evil remote:6.6.6.6:1 scheme:http] x-forwarded-for:1.1.1.1] host:a method:POST path:/self-service/login query:<nil> remote:[2001:db8::1]:55308 scheme:http]';

  it('tell of logins; what a client writes into a header is not taken for its address', () => {
    const { entries, kinds } = readAll([
      `${start}${granted.msg} audience=audit ${http} identity_id=${granted.identity_id} service_name=Ory Kratos session_id=x`,
    ]);
    expect(kinds).toEqual(['read']);
    expect(entries).toEqual([
      { ...entry, op: 'succeed', account: granted.identity_id, ip: '2001:db8::1', ua: null },
    ]);
  });

  it('tell of failures over several lines, without a name', () => {
    const { entries, kinds } = readAll([
      `kratos_1  | ${start}Encountered self-service login error. audience=audit error=map[message:${invalid} stack_trace:`,
      'kratos_1  | github.com/ory/kratos/selfservice/strategy/password.(*Strategy).Login',
      'kratos_1  |     /project/selfservice/strategy/password/login.go:90',
      `kratos_1  | ] ${http} login_flow=&{0xc000} service_name=Ory Kratos`,
      'kratos_1  | time=2024-03-01T11:00:01Z level=info msg=completed handling request',
    ]);
    expect([entries, kinds]).toEqual([[], ['other', 'other', 'other', 'nameless', 'other']]);
  });

  it('hold other records and their stack traces', () => {
    const { kinds } = readAll([
      `${start}No valid session cookie found. audience=audit error=map[stack_trace:`,
      'github.com/ory/kratos/session.(*ManagerHTTP).FetchFromRequest',
      '\t/project/session/manager_http.go:136',
      'what is this?',
    ]);
    expect(kinds).toEqual(['other', 'other', 'other', 'unknown']);
  });

  it('are not what lines of other logs are, though these look like those of a stack trace', () => {
    const { kinds } = readAll([
      '203.0.113.7 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 5',
      'github.com/ory/kratos/session.(*ManagerHTTP).FetchFromRequest',
      ' ',
    ]);
    expect(kinds).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('are known to be damaged where an attempt has no time', () => {
    const { entries, kinds } = readAll([
      `time=noon level=info msg=${granted.msg} ${http} identity_id=${granted.identity_id}`,
      `time=noon level=info msg=Encountered self-service login error. error=map[message:${invalid}] ${http}`,
    ]);
    expect([entries, kinds]).toEqual([[], ['unknown', 'unknown']]);
  });
});
