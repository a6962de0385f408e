import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoginEntry } from '../../src/abuse/log-formats/log-entry.ts';
import { openLogFormat } from '../../src/abuse/log-formats/log-format.ts';
import { cli, replay } from './cli-run.ts';

const decisionsIn = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const failed = (second: number, user = 'root', ip = '192.0.2.1') =>
  `Dec 10 06:55:${String(second).padStart(2, '0')} host sshd[${second}]: Failed password for ${user} from ${ip} port 22 ssh2`;

const access = (second: number, request: string, status = 200, ip = '198.51.100.7', user = '-') =>
  `${ip} - ${user} [01/Mar/2024:00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')} +0000] "${request} HTTP/1.1" ${status} 12 "-" "curl/8"`;

describe('a log of sshd', () => {
  const lines = [0, 1, 2, 3].map((second) => failed(second)).join('\r\n');

  it('is decided line by line, at its own time', async () => {
    const { code, stdout, stderr } = await replay(lines, '--format', 'sshd', '--year', '2015');
    expect([code, stderr]).toEqual([0, '']);
    const decisions = decisionsIn(stdout);
    expect(decisions.map(({ t }) => new Date(t).toISOString())).toEqual(
      [0, 1, 2, 3].map((second) => `2015-12-10T06:55:0${second}.000Z`),
    );
    expect(decisions.at(-1)).toMatchObject({ outcome: 'HARD_BLOCK', rule: 'blocked' });
  });

  it('has a time zone', async () => {
    const { stdout } = await replay(failed(1), '--format', 'sshd', '--year', '2015', '--time-zone', '+01:00');
    expect(decisionsIn(stdout)).toMatchObject([{ t: Date.UTC(2015, 11, 10, 5, 55, 1) }]);
  });

  it('is summed up, with who was blocked', async () => {
    const { stdout } = await replay(lines, '--format', 'sshd', '--year', '2015', '--summary', '--quiet');
    expect(stdout).toMatch(
      /^\nreplay of standard input by the built-in policies\n2015-12-10T06:55:00Z to 2015-12-10T06:55:\d\dZ, \d+ s\n4 events in 4 lines\n/,
    );
    expect(stdout).toMatch(/\n {2}score +\d+ {2}Failures added up\n/);
    expect(stdout).toContain('account "root" from "192.0.2.1" by score on K4');
    expect(stdout).toContain('2015-12-10T06:55:01Z: "192.0.2.1" by score on K2, level 2 (line 2)');
  });

  it('may hold lines that nobody understands: counted and shown, harmless', async () => {
    const evil = '\u001b[2J\u009b31m\u202e evil \u0007';
    const { code, stdout, stderr } = await replay(`${lines}\n${evil}\n`, '--format', 'sshd');
    expect(code).toBe(0);
    expect(decisionsIn(stdout)).toHaveLength(4);
    expect(stderr).toBe(
      'portcullis: 1 of 5 lines was not understood and not counted; the first: line 5 "\\u001b[2J\\u009b31m\\u202e evil \\u0007"\n',
    );
    const summed = await replay(`${evil}\n${lines}`, '--format', 'sshd', '--summary', '--quiet');
    expect(summed.stdout).toContain('line 1 "\\u001b[2J');
    expect(summed.stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
  });

  it('is probably something else when nothing in it is understood', async () => {
    const { code, stderr } = await replay('one\ntwo\n', '--format', 'sshd');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^portcullis: nothing in it is a line of sshd: 2 of 2 lines .* Is --format right\?\n$/,
    );
  });

  it('is one of sshd as soon as one line is, even if nothing happened', async () => {
    const quiet = '-- Boot 0d2a --\nDec 10 06:55:47 h sshd[2]: Server listening on 0.0.0.0 port 22.\n';
    const { code, stderr } = await replay(quiet, '--format', 'sshd');
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 of 2 lines was not understood')]);
    const compared = await cli(['compare', '-', '-', '-', '--format', 'sshd'], quiet);
    expect([compared.code, compared.stderr]).toEqual([0, '']);
  });

  it('with a line that stands for many attempts and is none is told of once', async () => {
    const repeated = 'message repeated 50 times: [ Failed password for root from h.example port 22 ssh2]';
    const lines = `Dec 10 06:55:46 h sshd[2]: ${repeated}\n${failed(47)}\n`;
    const { stderr } = await replay(lines, '--format', 'sshd');
    expect(stderr).toContain('1 of 2 lines was not understood');
    const { stdout } = await cli(['compare', '-', '-', '-', '--format', 'sshd', '--json'], lines);
    expect(JSON.parse(stdout)).toMatchObject({ unknownLines: 1, events: 1 });
  });

  it('with a time that no date can be is not understood there, and summed up', async () => {
    const journal = (second: number, time: string) =>
      JSON.stringify({
        __REALTIME_TIMESTAMP: time,
        MESSAGE: failed(second).split(': ')[1],
        SYSLOG_IDENTIFIER: 'sshd',
        _PID: String(second),
      });
    const good = [1, 2, 3].map((second) => journal(second, `170929080${second}000000`));
    const input = [journal(4, '9999999999999999101'), ...good].join('\n');
    const { code, stdout, stderr } = await replay(input, '--format', 'sshd', '--summary', '--quiet');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(
      '3 events in 4 lines\n1 of 4 lines was not understood and not counted\n  line 1 ',
    );
  });

  it('is fine when nothing happened', async () => {
    expect(
      await replay(
        'Dec 10 06:55:00 h CRON[1]: pam_unix(cron:session): session opened\n\n',
        '--format',
        'sshd',
      ),
    ).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'portcullis: nothing in it tells of a login or a request: 1 line is about something else. Is --format right?\n',
    });
  });

  it('is decided where others keep their records, too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
    const { code, stdout } = await replay(lines, '--format', 'sshd', '--store', `lmdb:${folder}`);
    expect([code, decisionsIn(stdout).length]).toEqual([0, 4]);
  });

  it('with bytes that are not UTF-8 keeps names apart', async () => {
    const bytes = Buffer.concat(
      [0xe9, 0xe8].map((byte, second) =>
        Buffer.from(`${failed(second, 'caf*')}\n`, 'latin1').map((code) => (code === 42 ? byte : code)),
      ),
    );
    const { stdout } = await replay(bytes, '--format', 'sshd', '--summary', '--json', '--quiet');
    expect(JSON.parse(stdout).summary).toMatchObject({
      events: 2,
      unknownLines: 0,
      outcomes: { ALLOW: 1, HARD_BLOCK: 1 },
    });
  });

  it('whose addresses are names is not understood there', async () => {
    const { code, stdout, stderr } = await replay(
      `${failed(1, 'root', 'evil.example')}\n${failed(2)}`,
      '--format',
      'sshd',
    );
    expect([code, decisionsIn(stdout).length]).toEqual([0, 1]);
    expect(stderr).toContain('1 of 2 lines was not understood');
  });
});

describe('an access log', () => {
  const scan = Array.from({ length: 120 }, (_, second) => access(second, `GET /wp-${second}.php`, 404)).join(
    '\n',
  );

  it('is decided by limits: over the rate SOFT, far over it HARD', async () => {
    const burst = (calls: number) => Array.from({ length: calls }, () => access(0, 'GET /')).join('\n');
    const few = decisionsIn((await replay(burst(9), '--format', 'nginx')).stdout);
    expect(few.slice(0, 7).map(({ outcome }) => outcome)).toEqual(Array(7).fill('ALLOW'));
    expect(few.at(-1)).toMatchObject({ outcome: 'SOFT_BLOCK', rule: 'limit', scope: 'K2', level: 1 });
    const many = decisionsIn((await replay(burst(130), '--format', 'apache')).stdout);
    const block = many.find(({ rule }) => rule === 'auto-block');
    expect(block).toMatchObject({ outcome: 'HARD_BLOCK', scope: 'K2', level: 2, retryAfterMs: 60_000 });
    expect(many.at(-1)).toMatchObject({
      outcome: 'HARD_BLOCK',
      rule: 'blocked',
      level: 2,
      until: block.until,
    });
  });

  it('is decided by scenarios, which are named', async () => {
    const decisions = decisionsIn((await replay(scan, '--format', 'nginx')).stdout);
    const found = decisions.filter(({ rule }) => rule === 'path-scan');
    expect(found).toMatchObject([
      { outcome: 'SOFT_BLOCK', level: 1, scope: 'K2' },
      { outcome: 'HARD_BLOCK', level: 3, scope: 'K2', retryAfterMs: 300_000 },
    ]);
    expect(decisions.at(-1)).toMatchObject({ outcome: 'HARD_BLOCK', rule: 'blocked', level: 3 });
  });

  it('is blocked at one level, whichever address of the network asks', async () => {
    const lines = Array.from({ length: 120 }, (_, n) => access(n, `GET /wp-${n}.php`, 404, '2001:db8::1'));
    const later = ['2001:db8::1', '2001:db8::2'].map((ip) => access(330, 'GET /', 200, ip));
    const decisions = decisionsIn(
      (await replay([...lines, ...later].join('\n'), '--format', 'nginx')).stdout,
    );
    const blocked = decisions.filter(({ outcome }) => outcome === 'HARD_BLOCK');
    expect(blocked.at(-1)).toMatchObject({ rule: 'blocked', scope: 'K2', until: blocked[0].until });
    expect(new Set(blocked.map(({ level }) => level))).toEqual(new Set([3]));
  });

  it('keeps the scope of a block that is one of a whole network', async () => {
    const browser = (n: number) => `Mozilla/5.0 (X11; Linux x86_64) Chrome/${60 + (n % 80)}.0.0.0`;
    const lines = Array.from({ length: 700 }, (_, n) =>
      access(Math.floor(n / 4), `GET /p${n}`, 404).replace('curl/8', browser(n)),
    );
    const decisions = decisionsIn((await replay(lines.join('\n'), '--format', 'nginx')).stdout);
    const first = decisions.findIndex(({ outcome, scope }) => outcome === 'HARD_BLOCK' && scope === 'K1');
    expect(first).toBeGreaterThan(0);
    const { until, level } = decisions[first];
    const running = decisions.slice(first + 1).filter(({ rule }) => rule === 'blocked');
    expect(running).not.toEqual([]);
    for (const block of running) expect(block).toMatchObject({ scope: 'K1', level, until });
  });

  it('is decided by the limits and scenarios of a configuration', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'service.yaml');
    writeFileSync(file, 'limits: { signedIn: { ratePerSecond: 100 } }\nscenarios: { enabled: false }\n');
    const decisions = decisionsIn((await replay(scan, '--format', 'nginx', '--policy', file)).stdout);
    expect(new Set(decisions.map(({ outcome }) => outcome))).toEqual(new Set(['ALLOW']));
  });

  it('has logins where it is told so: one decision, with the reasons of both', async () => {
    const lines = Array.from({ length: 12 }, (_, second) =>
      access(second, 'POST /login', 401, '198.51.100.7', 'ann'),
    );
    const plain = decisionsIn((await replay(lines.join('\n'), '--format', 'nginx')).stdout);
    expect(plain.filter(({ scope }) => scope === 'K4')).toEqual([]);
    const flags = ['--format', 'nginx', '--login', 'POST /login'];
    const decisions = decisionsIn((await replay(lines.join('\n'), ...flags)).stdout);
    expect(decisions).toHaveLength(12);
    expect(decisions[1]).toMatchObject({
      outcome: 'HARD_BLOCK',
      rule: 'score',
      reasons: [
        { rule: 'score', scope: 'K4' },
        { rule: 'score', scope: 'K2' },
      ],
    });
    const right = await replay(
      access(0, 'POST /login', 200, '192.0.2.1', 'ann'),
      ...flags,
      '--login-fails',
      '200',
    );
    const failing = await replay(
      [0, 1].map((second) => access(second, 'POST /login/', 200, '192.0.2.1', 'ann')).join('\n'),
      ...flags,
      '--login-fails',
      '200',
    );
    expect(decisionsIn(right.stdout)).toMatchObject([{ outcome: 'ALLOW' }]);
    expect(decisionsIn(failing.stdout).at(-1)).toMatchObject({ outcome: 'HARD_BLOCK', rule: 'score' });
  });

  it('does not always say whose login it was', async () => {
    const flags = ['--format', 'nginx', '--login', '/login', '--quiet'];
    const { stdout } = await replay(access(0, 'POST /login', 401), ...flags, '--summary');
    expect(stdout).toContain('1 login names no account and was not decided');
    const { stderr } = await replay(access(0, 'POST /login', 401), ...flags);
    expect(stderr).toBe('portcullis: 1 login names no account and was not decided\n');
  });

  it('from before 1970 is not understood', async () => {
    const lines = `${access(0, 'GET /').replace('2024', '1960')}\n${access(0, 'GET /')}`;
    const { stdout, stderr } = await replay(lines, '--format', 'nginx');
    expect(decisionsIn(stdout)).toHaveLength(1);
    expect(stderr).toContain('1 of 2 lines was not understood');
  });

  it('whose addresses are names is not understood there, whoever was signed in', async () => {
    const lines = [access(0, 'GET /'), access(0, 'GET /', 200, 'h.example', 'ann')].join('\n');
    const { stdout, stderr } = await replay(lines, '--format', 'nginx');
    expect(decisionsIn(stdout)).toHaveLength(1);
    expect(stderr).toContain('1 of 2 lines was not understood');
    const composed = await replay(`web-1  | ${access(0, 'GET /')}`, '--format', 'nginx');
    expect([composed.code, composed.stdout]).toEqual([2, '']);
    const compared = await cli(['compare', '-', '-', '-', '--format', 'nginx', '--json'], lines);
    expect(JSON.parse(compared.stdout)).toMatchObject({ events: 1, unknownLines: 1 });
  });

  it('cannot be decided on a store with a time of its own', async () => {
    const { code, stderr } = await replay(scan, '--format', 'nginx', '--store', 'redis://127.0.0.1:1');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--store is for logins')]);
  });

  const foreign = (second: number) =>
    JSON.stringify({
      start_time: `2024-07-01T12:00:0${second}Z`,
      downstream_remote_address: '203.0.113.7:5123',
      method: 'GET',
      path: '/',
      response_code: 200,
    });

  it.each(['json', 'kratos', 'sshd'])('of JSON objects with foreign names is none of %s', async (format) => {
    const lines = [1, 2, 3].map(foreign).join('\n');
    for (const flags of [[], ['--summary', '--quiet']]) {
      const { code, stderr } = await replay(lines, '--format', format, ...flags);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(
          /^portcullis: nothing in it is a line of \w+: 3 of 3 lines .* Is --format right\?\n$/,
        ),
      ]);
    }
    const compared = await cli(['compare', '-', '-', '-', '--format', format], lines);
    expect([compared.code, compared.stderr]).toEqual([2, expect.stringContaining('Is --format right?')]);
  });

  it('of JSON objects has a time zone', async () => {
    const line = JSON.stringify({ time: '2024-07-01 12:00:00', remote_addr: '203.0.113.7', status: 200 });
    const { stdout } = await replay(line, '--format', 'json', '--time-zone', 'Europe/Berlin');
    expect(decisionsIn(stdout)).toMatchObject([{ t: 1_719_828_000_000 }]);
  });

  it('of JSON objects may hold other lines of the same server', async () => {
    const started = JSON.stringify({ ts: 1709290800, level: 'info', msg: 'serving initial configuration' });
    const request = JSON.stringify({ ts: 1709290801, remote_addr: '203.0.113.7', status: 200 });
    expect(await replay(`${started}\n${request}\n`, '--format', 'json')).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it.each(['json', 'kratos'])(
    'of JSON objects that are all about something else is told of: %s',
    async (format) => {
      const lines = [1, 2, 3].map((second) =>
        JSON.stringify({ time: `2024-07-01T12:00:0${second}Z`, labels: { a: 'b' }, textPayload: 'hello' }),
      );
      const told =
        'nothing in it tells of a login or a request: 3 lines are about something else. Is --format right?';
      const { code, stdout, stderr } = await replay(lines.join('\n'), '--format', format);
      expect([code, stdout, stderr]).toEqual([0, '', `portcullis: ${told}\n`]);
      const summed = await replay(lines.join('\n'), '--format', format, '--summary', '--quiet');
      expect([summed.code, summed.stdout, summed.stderr]).toEqual([0, expect.stringContaining(told), '']);
      const compared = await cli(['compare', '-', '-', '-', '--format', format], lines.join('\n'));
      expect([compared.code, compared.stdout]).toEqual([0, expect.stringContaining(told)]);
    },
  );

  it('of JSON objects finds clients behind trusted proxies', async () => {
    const line = (forwarded: string) =>
      JSON.stringify({
        time: 1709290800,
        remote_addr: '10.0.0.1',
        request: 'GET / HTTP/1.1',
        status: 200,
        http_x_forwarded_for: forwarded,
      });
    const lines = Array.from({ length: 40 }, (_, client) => line(`203.0.113.${client}`)).join('\n');
    const outcomes = async (...flags: string[]) =>
      JSON.parse((await replay(lines, '--format', 'json', '--summary', '--json', '--quiet', ...flags)).stdout)
        .summary.outcomes;
    expect(await outcomes('--trusted-proxy', '10.0.0.0/8')).toEqual({ ALLOW: 40 });
    expect(await outcomes()).toMatchObject({ SOFT_BLOCK: expect.any(Number) });
  });
});

describe('the client of a log behind trusted proxies', () => {
  const json = (peer: string, forwarded: string) =>
    JSON.stringify({
      time_iso8601: '2024-01-01T00:00:01Z',
      remote_addr: peer,
      http_x_forwarded_for: forwarded,
      request_method: 'GET',
      request_uri: '/x',
      status: 200,
    });
  const kratos = (peer: string) =>
    JSON.stringify({
      time: '2024-01-01T00:00:01Z',
      level: 'info',
      msg: 'Encountered self-service login error.',
      error: { message: 'the provided credentials are invalid' },
      http_request: { remote: peer, headers: { 'x-forwarded-for': '203.0.113.1' } },
      login_flow: { ui: { nodes: [{ attributes: { name: 'identifier', value: 'u' } }] } },
    });
  const summed = async (lines: string, format: string, ...proxies: string[]) =>
    JSON.parse(
      (
        await replay(
          lines,
          '--format',
          format,
          '--summary',
          '--json',
          '--quiet',
          ...proxies.flatMap((proxy) => ['--trusted-proxy', proxy]),
        )
      ).stdout,
    ).summary;

  it.each([
    ['json', json('unix:', '203.0.113.1'), '10.0.0.0/8'],
    ['json', json('nobody', '203.0.113.1'), 'unix'],
    ['json', json('unix:', 'nobody'), 'unix'],
    ['kratos', kratos('not-an-ip'), '10.0.0.0/8'],
  ])('is not guessed in %s where the peer is no address: %s', async (format, line, proxy) => {
    expect(await summed(line, format, proxy)).toMatchObject({ events: 0, unknownLines: 1 });
  });

  it('is found behind a proxy that has come through a Unix socket', async () => {
    const lines = Array.from({ length: 3 }, () => json('unix:', '203.0.113.1')).join('\n');
    expect(await summed(lines, 'json', 'unix')).toMatchObject({ events: 3, unknownLines: 0 });
  });
});

describe('options of a log', () => {
  it('are refused before a file is opened, which may not be there', async () => {
    const refused = { code: 2, stdout: '', stderr: expect.stringContaining('--year must be a year') };
    expect(await cli(['replay', '/nowhere/to/be/found', '--format', 'sshd', '--year', 'abc'])).toEqual(
      refused,
    );
    const flags = ['--format', 'sshd', '--year', 'abc'];
    expect(await cli(['compare', '-', '-', '/nowhere/to/be/found', ...flags])).toEqual(refused);
    // A stream that was opened all the same would tell of the file now, and nobody would hear it.
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it.each([
    [['--year', '15'], /--year must be a year/],
    [['--time-zone', 'Mars'], /a time zone must be/],
    [['--login', 'login'], /--login must be a route/],
    [['--login', '/x', '--login-fails', 'bad'], /--login-fails must be statuses/],
    [['--trusted-proxy', 'nowhere'], /trustedProxies/],
  ])('%j is refused with a reason', async (flags, message) => {
    const { code, stderr } = await replay('', '--format', 'sshd', ...flags);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it.each([
    [
      'nginx',
      ['--trusted-proxy', '10.0.0.0/8'],
      '--trusted-proxy is for --format json, kratos, not for nginx',
    ],
    ['nginx', ['--year', '2015'], '--year is for --format sshd, not for nginx'],
    [
      'apache',
      ['--time-zone', 'Europe/Berlin'],
      '--time-zone is for --format sshd, json, kratos, not for apache',
    ],
    [
      'events',
      ['--time-zone', 'Nope/Zone'],
      '--time-zone is for --format sshd, json, kratos, not for events',
    ],
    ['sshd', ['--login', '/login'], '--login is for --format nginx, apache, json, not for sshd'],
    ['events', ['--login', '/login'], '--login is for --format nginx, apache, json, not for events'],
    ['decisions', ['--year', '2015'], '--year is for --format sshd, not for decisions'],
    ['nginx', ['--login-fails', '200'], '--login-fails is for routes that --login names, and there is none'],
  ])('of %s are refused where they would say nothing: %j', async (format, flags, message) => {
    const refused = { code: 2, stdout: '', stderr: `portcullis: ${message}\n` };
    expect(await replay('', '--format', format, ...flags)).toEqual(refused);
    expect(await cli(['compare', '-', '-', '-', '--format', format, ...flags])).toEqual(refused);
  });
});

describe('a policy that is not bound to what a log tells of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  const unbound = join(folder, 'unbound.yaml');
  writeFileSync(unbound, 'policies: { login: { actions: [web.login] } }\n');
  const rated = join(folder, 'rated.yaml');
  writeFileSync(rated, 'policies: { api: { actions: [auth.login] }, login: { actions: [web.login] } }\n');
  const codeless = join(folder, 'codeless.yaml');
  writeFileSync(codeless, 'policies: { otp: { actions: [web.otp] } }\n');

  it.each([
    [unbound, ['--format', 'sshd'], '--format sshd tells of auth.login'],
    [rated, ['--format', 'sshd'], '--format sshd tells of auth.login'],
    [unbound, ['--format', 'nginx', '--login', '/login'], '--format nginx tells of auth.login'],
    [codeless, ['--format', 'kratos'], '--format kratos tells of auth.otp'],
  ])('is refused with the reason: %s %j', async (policy, flags, message) => {
    const refused = { code: 2, stdout: '', stderr: expect.stringContaining(message) };
    expect(await replay(failed(1), ...flags, '--policy', policy)).toEqual(refused);
    expect(await cli(['compare', '-', policy, '-', ...flags], failed(1))).toEqual(refused);
  });

  it('decides what it is bound to', async () => {
    expect((await replay(failed(1), '--format', 'sshd', '--policy', codeless)).code).toBe(0);
    expect((await replay(access(0, 'GET /'), '--format', 'nginx', '--policy', unbound)).code).toBe(0);
  });
});

describe('gzip', () => {
  const event = (t: number) => `${JSON.stringify({ t, op: 'fail', account: 'a', ip: '192.0.2.1' })}\n`;
  const text = Array.from({ length: 50 }, (_, t) => event(t)).join('');

  it('is recognised in any chunks, on standard input too', async () => {
    const whole = (await replay(text)).stdout;
    const packed = gzipSync(text);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (size) => {
        const chunks = Array.from({ length: Math.ceil(packed.length / size) }, (_, index) =>
          packed.subarray(index * size, (index + 1) * size),
        );
        expect((await replay(chunks)).stdout).toBe(whole);
      }),
      { numRuns: 10 },
    );
  });

  it('of several pieces one after the other is one', async () => {
    const pieces = Buffer.concat([gzipSync(event(1)), gzipSync(event(2))]);
    expect(decisionsIn((await replay(pieces)).stdout).map(({ t }) => t)).toEqual([1, 2]);
  });

  it('works for logs and files', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'portcullis-')), 'auth.log.gz');
    writeFileSync(file, gzipSync(failed(1)));
    const { code, stdout } = await cli(['replay', file, '--format', 'sshd']);
    expect([code, decisionsIn(stdout).length]).toEqual([0, 1]);
  });

  it('that is damaged or cut is told of', async () => {
    const packed = gzipSync(text);
    for (const broken of [packed.subarray(0, packed.length - 20), Buffer.from([0x1f, 0x8b, 1, 2, 3, 4])]) {
      const { code, stderr } = await replay(broken);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^portcullis: the gzip data is damaged or ends too soon/),
      ]);
    }
  });

  it('is what is unpacked here: of all else it is said how to, and which text is none', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    const foreign: readonly (readonly [Uint8Array, RegExp])[] = [
      [utf16, /^portcullis: the input is UTF-16 text: make it UTF-8.*\(iconv -f UTF-16 -t UTF-8\)\n$/],
      [Buffer.from(utf16).swap16(), /UTF-16 text/],
      [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), /packed with xz.*\(xz -dc\)/],
      [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04]), /packed with zstd/],
      [Buffer.from('BZh91AY'), /packed with bzip2/],
      [Buffer.from('PK\u0003\u0004..'), /packed with zip/],
    ];
    for (const [bytes, words] of foreign) {
      for (const flags of [[], ['--skip-bad'], ['--format', 'sshd']]) {
        const { code, stdout, stderr } = await replay(
          [...bytes].map((byte) => Uint8Array.of(byte)),
          ...flags,
        );
        expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(words)]);
      }
    }
  });

  it('that unpacks to much more is read a piece at a time', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { code, stderr } = await replay(bomb, '--format', 'sshd');
    expect(code).toBe(2);
    expect(stderr).toContain('longer than 4194304 bytes');
  });
});

const data = new URL('../../../shared/data/', import.meta.url);

/** What is in the log, read when a test asks: the body of a suite that is skipped runs all the same. */
function realLog() {
  const path = new URL('openssh-2k.log', data).pathname;
  const entries: LoginEntry[] = [];
  const log = openLogFormat('sshd', { year: 2015, writtenAt: 0 });
  const take = (entry: unknown) => entries.push(entry as LoginEntry);
  for (const line of readFileSync(path, 'utf8').split(/\r?\n/)) log.read(line, take);
  log.end(take);
  return {
    path,
    entries,
    expected: JSON.parse(readFileSync(new URL('openssh-expected.json', data), 'utf8')),
  };
}

describe.runIf(existsSync(new URL('openssh-2k.log', data)))('a real log of OpenSSH', () => {
  it('holds as many attempts as were counted by hand, by address and by account', () => {
    const { entries, expected } = realLog();
    const failures = entries.filter(({ op }) => op === 'fail');
    expect([failures.length, entries.length]).toEqual([expected.failed, expected.rows_events]);
    const countBy = (field: 'ip' | 'account') =>
      Object.fromEntries(
        [...new Set(failures.map((entry) => entry[field]))].map((value) => [
          value,
          failures.filter((entry) => entry[field] === value).length,
        ]),
      );
    expect(countBy('ip')).toEqual(expected.failed_per_ip);
    expect(countBy('account')).toMatchObject(expected.failed_per_account);
  });

  it('ends with every address blocked that has to be, in time', async () => {
    const { path, entries, expected } = realLog();
    const { code, stdout } = await cli(['replay', path, '--format', 'sshd', '--year', '2015']);
    const decisions = decisionsIn(stdout);
    expect([code, decisions.length]).toEqual([0, entries.length]);
    for (const { ip, trigger_epoch: trigger } of expected.rule_5_1.must_block) {
      const first = decisions.find(
        ({ outcome }, index) => outcome === 'HARD_BLOCK' && entries[index]?.ip === ip,
      );
      expect([ip, first.t <= trigger * 1_000]).toEqual([ip, true]);
    }
  });

  it('is summed up for a person', async () => {
    const { path, expected } = realLog();
    const { stdout } = await cli([
      'replay',
      path,
      '--format',
      'sshd',
      '--year',
      '2015',
      '--summary',
      '--quiet',
    ]);
    for (const ip of expected.rule_5_1.must_block_ips) expect(stdout).toContain(`"${ip}" by `);
    expect(stdout).toContain('529 events in 2000 lines');
    expect(stdout).toContain('over time (# hard, o soft, · allowed)');
  });
});
