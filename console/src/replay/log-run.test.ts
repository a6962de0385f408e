import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogFormatName } from '../../../src/abuse/log-formats/log-entry.ts';
import { detectLogFormat } from './detect-format.ts';
import type { LogChoices } from './log-choices.ts';
import { openLogRun, readRules } from './log-replay.ts';
import type { ReplayResult } from './replay-messages.ts';

const noChoices: LogChoices = { year: '', timeZone: '', login: '', loginFails: '', trustedProxy: '' };

interface Order {
  readonly format?: 'detect' | LogFormatName;
  readonly choices?: Partial<LogChoices>;
  readonly policyA?: string;
  readonly policyB?: string;
}

async function replay(lines: readonly string[], order: Order = {}): Promise<ReplayResult> {
  const { format = 'detect', choices = {}, policyA = '', policyB = null } = order;
  const file = new File([], 'a.log', { lastModified: Date.UTC(2024, 5, 1) });
  const run = openLogRun({ file, format, choices: { ...noChoices, ...choices }, policyA, policyB }, lines);
  for (const [index, text] of lines.entries()) await run.add({ number: index + 1, text, isUtf8: true });
  return run.finish();
}

const two = (value: number) => String(value).padStart(2, '0');
const failed = (second: number, user = 'root', ip = '192.0.2.1') =>
  `Dec 10 06:55:${two(second)} host sshd[${second}]: Failed password for ${user} from ${ip} port 22 ssh2`;
const access = (second: number, request: string, status = 200, ip = '198.51.100.7', user = '-') =>
  `${ip} - ${user} [01/Mar/2024:00:00:${two(second)} +0000] "${request} HTTP/1.1" ${status} 12 "-" "curl/8"`;
const jsonAccess = JSON.stringify({
  time: '2024-03-01T00:00:00Z',
  remote_addr: '192.0.2.1',
  request: 'GET / HTTP/1.1',
  status: 200,
});
const kratos = JSON.stringify({
  level: 'info',
  msg: 'started handling request',
  service_name: 'Ory Kratos',
  time: '2024-03-01T00:00:00Z',
});

/** As Docker keeps what a container writes. */
const kept = (line: string) =>
  JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: '2024-03-01T00:00:00Z' });

describe('the format of a log', () => {
  it.each<readonly [LogFormatName | null, readonly string[]]>([
    ['sshd', [failed(1)]],
    ['sshd', ['Dec 10 06:55:00 h CRON[1]: pam_unix(cron:session): session opened']],
    ['nginx', ['a heading', access(1, 'GET /')]],
    ['json', [jsonAccess]],
    ['kratos', [kratos]],
    ['nginx', [kept(access(1, 'GET /'))]],
    ['json', [kept(jsonAccess)]],
    ['kratos', [kept(kratos)]],
    [null, [kept('a poem')]],
    [null, ['{"some": "object"}', 'a poem', '']],
    [null, []],
  ])('is %s', (name, lines) => {
    expect(detectLogFormat(lines, 0)).toBe(name);
  });

  it('is asked for where nobody knows it', async () => {
    await expect(replay(['a poem'])).rejects.toThrow(/not recognised/);
  });
});

describe('a log in the page', () => {
  it('decides attempts at their own time, in the year of its choice', async () => {
    const { a, events, format, log } = await replay(
      [0, 1, 2, 3].map((second) => failed(second)),
      {
        choices: { year: '2015' },
      },
    );
    expect([format, events]).toEqual(['sshd', 4]);
    expect(a.outcomes).toMatchObject({ HARD_BLOCK: 3 });
    expect(a.firstBlocks[0]?.t).toBe(Date.UTC(2015, 11, 10, 6, 55, 1));
    expect(log).toEqual({ lines: 4, nameless: 0, unknown: 0, firstUnknown: null });
  });

  it('counts what it does not understand and names nobody', async () => {
    const lines = [
      access(0, 'GET /'),
      'what?',
      access(1, 'GET /', 200, 'not.an.address'),
      '',
      access(2, 'POST /login', 401),
    ];
    const result = await replay(lines, { choices: { login: 'POST /login, GET /session' } });
    expect(result.events).toBe(2);
    expect(result.log).toEqual({ lines: 5, nameless: 1, unknown: 2, firstUnknown: 2 });
    expect(JSON.stringify(result)).not.toMatch(/198\.51|what|curl/);
  });

  it('has one decision for a request that is a login too, with the reasons of both', async () => {
    const guesses = Array.from({ length: 8 }, (_, second) =>
      access(second, 'POST /in', 401, '192.0.2.9', 'bob'),
    );
    const asLogins = await replay(guesses, { choices: { login: 'POST /in' } });
    const asRequests = await replay(guesses);
    expect([asLogins.events, asRequests.events]).toEqual([8, 8]);
    expect(asLogins.a.rules).toHaveProperty('score');
    expect(asRequests.a.rules).not.toHaveProperty('score');
  });

  it('goes by the limits of a configuration, and shows where two part', async () => {
    const lines = Array.from({ length: 40 }, () => access(1, 'GET /'));
    const strict = 'limits: { anonymous: { ratePerSecond: 1, burst: 2 } }';
    const { a, b, comparison } = await replay(lines, { policyB: strict });
    expect(b?.outcomes.ALLOW).toBe(2);
    expect(a.outcomes.ALLOW).toBeGreaterThan(2);
    expect(comparison).toMatchObject({ events: 40, harder: { a: 0 } });
    expect((await replay(lines, { policyA: strict, policyB: strict })).comparison?.differences).toBe(0);
  });

  it('says what is wrong with a choice or a policy in the words of the page', async () => {
    const bad = (choices: Partial<LogChoices>) => replay([access(0, 'GET /')], { choices });
    await expect(bad({ login: 'log in' })).rejects.toThrow(/^Login routes must be a route/);
    await expect(bad({ login: 'POST /a', loginFails: 'x' })).rejects.toThrow(
      /^Answers that mean a failed login must/,
    );
    await expect(bad({ timeZone: 'Nowhere' })).rejects.toThrow(/time zone/);
    await expect(bad({ trustedProxy: 'x/y' })).rejects.toThrow(/trustedProxies/);
    expect(() => readRules('limits: { rate: 1 }', 'policy A')).toThrow(/^policy A: limits\.rate/);
    expect(() => readRules('envoy: [ratelimit.yaml]', 'policy A')).not.toThrow(TypeError);
  });

  it('never throws for what a line says', async () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom(failed(1), access(1, 'GET /'), jsonAccess, kratos));
    const formats: readonly LogFormatName[] = ['nginx', 'apache', 'json', 'sshd', 'kratos'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 8 }),
        fc.constantFrom(...formats),
        async (lines, format) => {
          const { log } = await replay(lines, { format });
          expect(log?.lines).toBe(lines.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});
