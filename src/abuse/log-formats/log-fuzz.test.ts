import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogEntry, type LogFormat, logFormatNames } from './log-entry.ts';
import { openLogFormat } from './log-format.ts';

const open = (name: (typeof logFormatNames)[number]): LogFormat => openLogFormat(name, { writtenAt: 1.7e12 });

/** Lines that are nearly right, to be damaged. */
const seeds = [
  '203.0.113.7 - ann [10/Oct/2000:13:55:36 -0700] "GET /a?b=1 HTTP/1.1" 200 2326 "https://x.example/" "curl/8.5.0"',
  'Dec 10 06:55:46 LabSZ sshd[24200]: Failed password for invalid user webmaster from 173.234.31.186 port 38926 ssh2',
  'Dec 10 06:55:46 LabSZ sshd[24200]: message repeated 5 times: [ Failed password for root from 5.36.59.76 port 42393 ssh2]',
  '<38>1 2024-03-01T11:00:00.003Z h sshd 123 - [a b="c"] Accepted publickey for ann from 192.0.2.1 port 22 ssh2: RSA x',
  '{"__REALTIME_TIMESTAMP":"1709290800500000","SYSLOG_IDENTIFIER":"sshd","_PID":"1","MESSAGE":"Invalid user a from ::1"}',
  '{"ts":1709290800.5,"request":{"remote_ip":"203.0.113.7","method":"GET","uri":"/","headers":{"User-Agent":["x"]}},"status":404}',
  'time=2024-03-01T11:00:00Z level=info msg=Identity authenticated successfully and was issued an Ory Kratos Session Cookie. http_request=map[remote:1.1.1.1:1 scheme:http] identity_id=5ff66179-c240-4703-b0d8-494592cefff5',
  '{"time":"2024-03-01T11:00:00Z","msg":"Encountered self-service login error.","error":{"message":"the provided credentials are invalid"},"http_request":{"remote":"10.0.0.1:5"},"login_flow":{"ui":{"nodes":[{"attributes":{"name":"identifier","value":"a"}}]}}}',
];

const noise = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.stringMatching(/^[[\]"\\ :/.\-0-9a-zA-Z]{0,80}$/),
);

/** A line cut off, with something put in, or with a piece taken out or doubled. */
const damaged = fc
  .record({
    seed: fc.constantFrom(...seeds),
    at: fc.nat(),
    length: fc.nat(30),
    insert: noise,
    how: fc.nat(3),
  })
  .map(({ seed, at, length, insert, how }) => {
    const start = at % (seed.length + 1);
    const before = seed.slice(0, start);
    if (how === 0) return before;
    if (how === 1) return `${before}${insert}${seed.slice(start)}`;
    if (how === 2) return `${before}${seed.slice(start + length)}`;
    return `${before}${seed.slice(start, start + length)}${seed.slice(start)}`;
  });

function assertSound(entry: LogEntry): void {
  expect(Number.isSafeInteger(entry.t)).toBe(true);
  expect(typeof entry.ip).toBe('string');
  if (entry.kind === 'login') expect(entry.account.length).toBeGreaterThan(0);
  else expect(Number.isInteger(entry.status) && entry.status >= 0 && entry.status < 1_000).toBe(true);
}

describe.each(logFormatNames)('any lines, read as %s', (name) => {
  it('are told apart without a throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(noise, damaged), { maxLength: 30 }), (lines) => {
        const log = open(name);
        for (const line of lines) {
          let entries = 0;
          const kind = log.read(line, (entry) => {
            entries += 1;
            assertSound(entry);
          });
          expect(['read', 'nameless', 'other', 'unknown']).toContain(kind);
          expect(entries).toBeLessThanOrEqual(10_000);
        }
        log.end(assertSound);
      }),
      { numRuns: 300 },
    );
  });

  it('of a megabyte are told apart too, without a pattern that goes back and forth for minutes', () => {
    const long = 1 << 20;
    const lines = [
      'x'.repeat(long),
      '\0'.repeat(long),
      '] "'.repeat(long / 3),
      '\\'.repeat(long),
      '"\\'.repeat(long / 2),
      ' from '.repeat(long / 6),
      'Dec 10 06:55:46 h '.repeat(long / 18),
      '[10/Oct/2000:13:55:36 -0700] "'.repeat(long / 30),
      `Dec 10 06:55:46 h sshd[1]: Failed password for ${'a from '.repeat(long / 7)}1.1.1.1 port 1 ssh2`,
      `Dec 10 06:55:46 h sshd[1]: Connection closed by authenticating user ${'1.1.1.1 port 1: '.repeat(long / 16)}`,
      `Dec 10 06:55:46 h sshd[1]: Disconnecting invalid user ${'1.1.1.1 port 1: '.repeat(long / 16)}`,
      `Dec 10 06:55:46 h sshd[1]: Failed publickey for ${'a from 1.1.1.1 port 1: '.repeat(long / 23)}`,
      `Dec 10 06:55:46 h sshd[1]: message repeated 2 times: [ ${'['.repeat(long)}`,
      `<38>1 2024-03-01T11:00:00Z h sshd 1 - ${'[a b="'.repeat(long / 6)}`,
      `<38>1 2024-03-01T11:00:00Z h sshd 1 - ${'[a]'.repeat(long / 3)}x`,
      `203.0.113.7 - - [10/Oct/2000:13:55:36 -0700] "${'\\"'.repeat(long / 2)}" 200 1`,
      `203.0.113.7 - - [10/Oct/2000:13:55:36 -0700] "GET ${'/ '.repeat(long / 2)}HTTP/1.1" 200 1 "-" "${'\\x41'.repeat(1_000)}"`,
      `time=2024-03-01T11:00:00Z level=info msg=Identity authenticated successfully and was issued an Ory Kratos Session ${' remote:1 scheme:http]'.repeat(long / 22)}`,
      '{'.repeat(long),
      `{"a":${'['.repeat(10_000)}`,
    ];
    const log = open(name);
    const kinds = new Set(lines.map((line) => log.read(line, assertSound)));
    log.end(assertSound);
    expect(kinds).toContain('unknown');
  });
});

it('remembers a bounded number of connections', () => {
  const log = open('sshd');
  let entries = 0;
  const count = () => {
    entries += 1;
  };
  for (let pid = 0; pid < 30_000; pid += 1) {
    log.read(`Dec 10 06:55:46 h sshd[${pid}]: Invalid user u${pid} from 192.0.2.1`, count);
  }
  expect(entries).toBe(20_000);
  log.end(count);
  expect(entries).toBe(30_000);
});
