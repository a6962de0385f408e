import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineKind, LoginEntry } from './log-entry.ts';
import { openLogFormat } from './log-format.ts';
import { timeZoneOf } from './time-zone.ts';

const writtenAt = Date.UTC(2016, 0, 2);

function readAll(lines: readonly string[], options: { year?: number; zone?: string } = {}) {
  const log = openLogFormat('sshd', {
    year: options.year,
    zone: timeZoneOf(options.zone ?? 'UTC'),
    writtenAt,
  });
  const entries: LoginEntry[] = [];
  const emit = (entry: unknown) => entries.push(entry as LoginEntry);
  const kinds: LineKind[] = lines.map((line) => log.read(line, emit));
  log.end(emit);
  return { entries, kinds };
}

const told = (lines: readonly string[]) =>
  readAll(lines).entries.map(({ op, account, ip }) => `${op} ${account} ${ip}`);

const at = (second: number, pid: number, message: string) =>
  `Dec 10 06:55:${String(second).padStart(2, '0')} host sshd[${pid}]: ${message}`;

describe('what counts as an attempt', () => {
  const cases: readonly (readonly [string, string, string[]])[] = [
    ['a wrong password', 'Failed password for root from 192.0.2.1 port 22 ssh2', ['fail root 192.0.2.1']],
    [
      'of an unknown user',
      'Failed password for invalid user bob from 192.0.2.1 port 22 ssh2',
      ['fail bob 192.0.2.1'],
    ],
    [
      'of an old server',
      'Failed password for illegal user bob from 192.0.2.1 port 22 ssh2',
      ['fail bob 192.0.2.1'],
    ],
    ['from IPv6', 'Failed password for root from 2001:db8::1 port 22 ssh2', ['fail root 2001:db8::1']],
    [
      'keyboard-interactive',
      'Failed keyboard-interactive/pam for root from 192.0.2.1 port 22 ssh2',
      ['fail root 192.0.2.1'],
    ],
    [
      'a name with spaces',
      'Failed password for invalid user  0101 from 192.0.2.1 port 22 ssh2',
      ['fail  0101 192.0.2.1'],
    ],
    ['no name', 'Failed password for invalid user  from 192.0.2.1 port 22 ssh2', ['fail (empty) 192.0.2.1']],
    [
      'a name that looks like an address',
      'Failed password for invalid user a from 198.51.100.9 port 1 ssh2 from 192.0.2.1 port 22 ssh2',
      ['fail a from 198.51.100.9 port 1 ssh2 192.0.2.1'],
    ],
    [
      'a name that looks like an end',
      'Failed password for invalid user a from 198.51.100.9 port 1 ssh2: x from 192.0.2.1 port 22 ssh2',
      ['fail a from 198.51.100.9 port 1 ssh2: x 192.0.2.1'],
    ],
    [
      'repeated',
      'message repeated 3 times: [ Failed password for root from 192.0.2.1 port 22 ssh2]',
      Array(3).fill('fail root 192.0.2.1'),
    ],
    ['a password', 'Accepted password for ann from 192.0.2.1 port 22 ssh2', ['succeed ann 192.0.2.1']],
    [
      'a key',
      'Accepted publickey for ann from 192.0.2.1 port 22 ssh2: RSA SHA256:abc',
      ['succeed ann 192.0.2.1'],
    ],
    [
      'an interactive login',
      'Accepted keyboard-interactive/pam for ann from 192.0.2.1 port 22 ssh2',
      ['succeed ann 192.0.2.1'],
    ],
    ['an unknown user who left', 'Invalid user bob from 192.0.2.1 port 22', ['fail bob 192.0.2.1']],
    ['the same, of an old server', 'Invalid user bob from 192.0.2.1', ['fail bob 192.0.2.1']],
    [
      'a known user who left',
      'Connection closed by authenticating user root 192.0.2.1 port 22 [preauth]',
      ['fail root 192.0.2.1'],
    ],
    [
      'or was sent away',
      'Disconnected from authenticating user root 192.0.2.1 port 22 [preauth]',
      ['fail root 192.0.2.1'],
    ],
    [
      'or reset',
      'Connection reset by authenticating user root 192.0.2.1 port 22 [preauth]',
      ['fail root 192.0.2.1'],
    ],
    [
      'too many tries',
      'error: maximum authentication attempts exceeded for root from 192.0.2.1 port 22 ssh2 [preauth]',
      ['fail root 192.0.2.1'],
    ],
    [
      'a key that was not taken',
      'Failed publickey for root from 192.0.2.1 port 22 ssh2: RSA SHA256:abc',
      ['fail root 192.0.2.1'],
    ],
    [
      'a certificate whose name has words of sshd',
      'Accepted publickey for ann from 192.0.2.1 port 22 ssh2: ED25519-CERT SHA256:abc ID ann from laptop (serial 0) CA ED25519 SHA256:abc',
      ['succeed ann 192.0.2.1'],
    ],
    [
      'a certificate whose name looks like an address',
      'Failed publickey for root from 192.0.2.1 port 22 ssh2: ED25519-CERT SHA256:abc ID a from 198.51.100.9 port 22 ssh2: z (serial 0) CA ED25519 SHA256:abc',
      ['fail root 192.0.2.1'],
    ],
    [
      'a principal',
      'Accepted gssapi-with-mic for ann from 192.0.2.1 port 22 ssh2: ann@EXAMPLE',
      ['succeed ann 192.0.2.1'],
    ],
    [
      'a user who becomes another',
      'Disconnecting authenticating user root 192.0.2.1 port 22: Change of username or service not allowed: (root,ssh-connection) -> (x 198.51.100.9 port 22: y,ssh-con [preauth]',
      ['fail root 192.0.2.1'],
    ],
    [
      'an unknown user who becomes another',
      'Disconnecting invalid user bob 192.0.2.1 port 22: Change of username or service not allowed: (bob,ssh-connection) -> (eve,ssh-connection) [preauth]',
      ['fail bob 192.0.2.1'],
    ],
    [
      'a name that looks like a reason',
      'Disconnecting invalid user a 198.51.100.9 port 1: 192.0.2.1 port 22: Too many authentication failures [preauth]',
      ['fail a 198.51.100.9 port 1: 192.0.2.1'],
    ],
    [
      'a name that looks like a peer',
      'Connection closed by invalid user a 198.51.100.9 port 1: x 192.0.2.1 port 22 [preauth]',
      ['fail a 198.51.100.9 port 1: x 192.0.2.1'],
    ],
    [
      'PAM speaking for sshd',
      'error: PAM: Authentication failure for illegal user bob from 192.0.2.1',
      ['fail bob 192.0.2.1'],
    ],
    [
      'PAM speaking for sshd, on macOS',
      'error: PAM: authentication error for illegal user a from 198.51.100.9 via 192.0.2.8 from 192.0.2.1 via 192.0.2.9',
      ['fail a from 198.51.100.9 via 192.0.2.8 192.0.2.1'],
    ],
    [
      'a user who may not log in',
      'User root from 192.0.2.1 not allowed because not listed in AllowUsers',
      ['fail root 192.0.2.1'],
    ],
    [
      'a user whose groups may not',
      "User ann from 2001:db8::1 not allowed because none of user's groups are listed in AllowGroups",
      ['fail ann 2001:db8::1'],
    ],
    ['root, who may not', 'ROOT LOGIN REFUSED FROM 192.0.2.1 port 22 [preauth]', ['fail root 192.0.2.1']],
    ['the same, of an old server', 'ROOT LOGIN REFUSED FROM 192.0.2.1', ['fail root 192.0.2.1']],
    ['a blank behind', 'Failed password for root from 192.0.2.1 port 22 ssh2 ', ['fail root 192.0.2.1']],
    ['a locked account, without an address', 'User root not allowed because account is locked', []],
    ['only asking', 'Failed none for invalid user bob from 192.0.2.1 port 22 ssh2', []],
    [
      'half of two factors',
      'Postponed keyboard-interactive for root from 192.0.2.1 port 22 ssh2 [preauth]',
      [],
    ],
    [
      'PAM’s own count',
      'PAM 5 more authentication failures; logname= uid=0 euid=0 tty=ssh ruser= rhost=192.0.2.1  user=root',
      [],
    ],
    [
      'PAM',
      'pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=192.0.2.1  user=root',
      [],
    ],
    ['a scan', 'Did not receive identification string from 192.0.2.1', []],
    ['a closed connection', 'Connection closed by 192.0.2.1 port 22 [preauth]', []],
    [
      'a name resolved',
      'reverse mapping checking getaddrinfo for x.example [192.0.2.1] failed - POSSIBLE BREAK-IN ATTEMPT!',
      [],
    ],
  ];

  it.each(cases)('%s', (_, message, expected) => {
    expect(told([at(1, 7, message)])).toEqual(expected);
  });

  it('is not counted twice where several lines tell of it', () => {
    const failed = 'Failed password for invalid user bob from 192.0.2.1 port 22 ssh2';
    expect(
      told([
        at(1, 7, 'Invalid user bob from 192.0.2.1 port 22'),
        at(1, 7, 'input_userauth_request: invalid user bob [preauth]'),
        at(1, 7, 'pam_unix(sshd:auth): check pass; user unknown'),
        at(
          1,
          7,
          'pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=192.0.2.1',
        ),
        at(3, 7, failed),
        at(5, 7, failed),
        at(
          6,
          7,
          'error: maximum authentication attempts exceeded for invalid user bob from 192.0.2.1 port 22 ssh2 [preauth]',
        ),
        at(
          6,
          7,
          'Disconnecting invalid user bob 192.0.2.1 port 22: Too many authentication failures [preauth]',
        ),
        at(6, 7, 'Connection closed by invalid user bob 192.0.2.1 port 22 [preauth]'),
        at(6, 7, 'PAM 1 more authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=192.0.2.1'),
      ]),
    ).toEqual(['fail bob 192.0.2.1', 'fail bob 192.0.2.1']);
  });

  it('counts a connection once where no password was tried, when it ends', () => {
    const { entries } = readAll([
      at(1, 7, 'Invalid user bob from 192.0.2.1 port 22'),
      at(2, 8, 'Invalid user eve from 192.0.2.2 port 22'),
      at(4, 7, 'Received disconnect from 192.0.2.1 port 22:11: Bye Bye [preauth]'),
      at(4, 7, 'Disconnected from invalid user bob 192.0.2.1 port 22 [preauth]'),
      at(5, 8, 'Connection closed by invalid user eve 192.0.2.2 port 22 [preauth]'),
    ]);
    expect(entries.map(({ account, t }) => [account, new Date(t).getUTCSeconds()])).toEqual([
      ['bob', 4],
      ['eve', 5],
    ]);
  });

  it('counts a user who may not log in once, as sshd tells it best', () => {
    const refused = at(1, 7, 'User root from 192.0.2.1 not allowed because not listed in AllowUsers');
    const failed = at(3, 7, 'Failed password for invalid user root from 192.0.2.1 port 22 ssh2');
    expect(told([refused, failed, failed])).toEqual(Array(2).fill('fail root 192.0.2.1'));
    const closed = at(4, 7, 'Connection closed by 192.0.2.1 port 22 [preauth]');
    expect(told([refused, closed])).toEqual(['fail root 192.0.2.1']);
  });

  it('counts connections that the log leaves open at its last time, for time does not go back', () => {
    const { entries } = readAll([
      at(1, 7, 'Invalid user bob from 192.0.2.1 port 22'),
      at(9, 8, 'Failed password for root from 192.0.2.2 port 22 ssh2'),
    ]);
    expect(entries.map(({ account, t }) => [account, new Date(t).getUTCSeconds()])).toEqual([
      ['root', 9],
      ['bob', 9],
    ]);
  });

  it('does not count keys that were offered before one was taken', () => {
    expect(
      told([
        at(1, 7, 'Failed publickey for ann from 192.0.2.1 port 22 ssh2: RSA SHA256:one'),
        at(1, 7, 'Failed publickey for ann from 192.0.2.1 port 22 ssh2: RSA SHA256:two'),
        at(2, 7, 'Accepted publickey for ann from 192.0.2.1 port 22 ssh2: RSA SHA256:three'),
        at(9, 7, 'Disconnected from user ann 192.0.2.1 port 22'),
      ]),
    ).toEqual(['succeed ann 192.0.2.1']);
  });

  it('does not count who only asked, whatever else is told of the connection', () => {
    expect(
      told([
        at(1, 7, 'Invalid user bob from 192.0.2.1'),
        at(1, 7, 'Failed none for invalid user bob from 192.0.2.1 port 22 ssh2'),
        at(2, 7, 'Connection closed by invalid user bob 192.0.2.1 port 22 [preauth]'),
      ]),
    ).toEqual([]);
  });

  it('counts who asked and then tried, in either order', () => {
    const asked = 'Failed none for invalid user bob from 192.0.2.1 port 22 ssh2';
    const left = 'Connection closed by invalid user bob 192.0.2.1 port 22 [preauth]';
    for (const tried of [
      'Failed publickey for invalid user bob from 192.0.2.1 port 22 ssh2: RSA SHA256:abc',
      'error: maximum authentication attempts exceeded for invalid user bob from 192.0.2.1 port 22 ssh2 [preauth]',
      'error: PAM: Authentication failure for illegal user bob from 192.0.2.1',
    ]) {
      const invalid = 'Invalid user bob from 192.0.2.1 port 22';
      for (const messages of [
        [invalid, asked, tried, tried, left],
        [invalid, tried, asked, left],
        [asked, tried, left],
      ]) {
        expect(told(messages.map((message) => at(1, 7, message)))).toEqual(['fail bob 192.0.2.1']);
      }
    }
  });

  it('counts what has waited for two minutes, and takes a process number again after ten', () => {
    const line = (clock: string, message: string) => `Dec 10 ${clock} host sshd[7]: ${message}`;
    const { entries } = readAll([
      line('06:00:00', 'Invalid user bob from 192.0.2.1 port 22'),
      'Dec 10 06:02:01 host sshd[9]: Server listening on 0.0.0.0 port 22.',
      line('06:05:00', 'Invalid user bob from 192.0.2.1 port 22'),
      line('06:13:00', 'Invalid user bob from 192.0.2.1 port 22'),
    ]);
    expect(entries.map(({ t }) => new Date(t).toISOString().slice(11, 19))).toEqual(['06:02:01', '06:13:00']);
  });

  describe('where lines have no process number', () => {
    const bare = (second: number, message: string) => `Dec 10 06:55:0${second} host sshd: ${message}`;
    const invalid = 'Invalid user bob from 192.0.2.1 port 22';
    const key = 'Failed publickey for ann from 192.0.2.1 port 22 ssh2: RSA SHA256:one';
    const left = 'Connection closed by invalid user bob 192.0.2.1 port 22 [preauth]';

    it('does not count an attempt twice', () => {
      const failed = 'Failed password for invalid user bob from 192.0.2.1 port 22 ssh2';
      expect(told([bare(1, invalid), bare(2, failed), bare(3, failed), bare(4, left)])).toEqual(
        Array(2).fill('fail bob 192.0.2.1'),
      );
      expect(told([bare(1, invalid), bare(2, left)])).toEqual(['fail bob 192.0.2.1']);
    });

    it('does not count keys that were offered before one was taken', () => {
      const accepted = 'Accepted publickey for ann from 192.0.2.1 port 22 ssh2: RSA SHA256:two';
      expect(told([bare(1, key), bare(1, key), bare(2, accepted)])).toEqual(['succeed ann 192.0.2.1']);
    });

    it('counts every connection, also of one who comes again for the same name', () => {
      expect(told([1, 3, 5].flatMap((second) => [bare(second, invalid), bare(second, left)]))).toEqual(
        Array(3).fill('fail bob 192.0.2.1'),
      );
      expect(told([1, 3, 5].map((second) => bare(second, invalid)))).toEqual(
        Array(3).fill('fail bob 192.0.2.1'),
      );
    });

    it('keeps users and addresses apart', () => {
      expect(
        told([
          bare(1, invalid),
          bare(2, 'Failed password for invalid user eve from 192.0.2.1 port 22 ssh2'),
          bare(3, 'Failed password for invalid user bob from 192.0.2.2 port 22 ssh2'),
        ]),
      ).toEqual(['fail eve 192.0.2.1', 'fail bob 192.0.2.2', 'fail bob 192.0.2.1']);
    });
  });

  it('keeps hosts of a collected log apart', () => {
    expect(
      told([
        'Dec 10 06:00:00 one sshd[7]: Invalid user bob from 192.0.2.1',
        'Dec 10 06:00:01 two sshd[7]: Failed password for ann from 192.0.2.1 port 1 ssh2',
      ]),
    ).toEqual(['fail ann 192.0.2.1', 'fail bob 192.0.2.1']);
  });

  it('follows "last message repeated", of the same host only', () => {
    expect(
      told([
        at(1, 7, 'Failed password for root from 192.0.2.1 port 22 ssh2'),
        'Dec 10 06:55:02 other last message repeated 7 times',
        'Dec 10 06:55:03 host last message repeated 2 times',
        at(4, 7, 'Received disconnect from 192.0.2.1: 11: Bye Bye [preauth]'),
        'Dec 10 06:55:05 host last message repeated 4 times',
      ]),
    ).toEqual(Array(3).fill('fail root 192.0.2.1'));
  });

  it('follows it in the words of macOS', () => {
    expect(
      told([
        at(1, 7, 'Failed password for root from 192.0.2.1 port 22 ssh2'),
        'Dec 10 06:55:02 host --- last message repeated 1 time ---',
        'Dec 10 06:55:03 host --- last message repeated 2 times ---',
      ]),
    ).toEqual(Array(4).fill('fail root 192.0.2.1'));
  });

  it('does not believe a count that no log has', () => {
    const line = at(
      1,
      7,
      'message repeated 999999999 times: [ Failed password for root from 192.0.2.1 port 22 ssh2]',
    );
    expect(readAll([line])).toEqual({ entries: [], kinds: ['unknown'] });
  });

  it.each([
    [
      'the name of a certificate',
      'Failed publickey for invalid user bob from 192.0.2.1 port 22 ssh2: ED25519-CERT SHA256:abc ID a from 198.51.100.9 port 22 ssh2: z (serial 0) CA ED25519 SHA256:abc',
    ],
    [
      'the name of a user before a key',
      'Failed publickey for invalid user a from 198.51.100.9 port 22 ssh2: RSA SHA256:abc from 192.0.2.1 port 22 ssh2: RSA SHA256:abc',
    ],
    [
      'the beginning of a name that is longer than any',
      `Disconnecting invalid user a 198.51.100.9 port 22: ${'x'.repeat(2_000)} 192.0.2.1 port 22: Too many authentication failures [preauth]`,
    ],
    [
      'the name that a user changes to',
      'Disconnecting invalid user bob 192.0.2.1 port 22: Change of username or service not allowed: (bob,ssh-connection) -> (x 198.51.100.9 port 22: y,ssh-conn [preauth]',
    ],
    [
      'the name of a user who changes it',
      'Disconnecting invalid user a 198.51.100.9 port 22: Change of username or service not allowed: (a 192.0.2.1 port 22: Too many authentication failures [preauth]',
    ],
  ])('does not believe an address that may be %s', (_, message) => {
    expect(readAll([at(1, 7, message)])).toEqual({ entries: [], kinds: ['unknown'] });
  });

  it('says so when a line begins like an attempt and goes on otherwise', () => {
    expect(
      readAll([at(1, 7, 'Failed password for root'), at(1, 7, 'Failed password for root from somewhere')])
        .kinds,
    ).toEqual(['unknown', 'unknown']);
  });
});

describe('forms of the line', () => {
  const message = 'Failed password for root from 192.0.2.1 port 22 ssh2';
  const cases: readonly (readonly [string, string, string])[] = [
    ['syslog', `Dec 10 06:55:46 LabSZ sshd[24200]: ${message}`, '2015-12-10T06:55:46.000Z'],
    [
      'syslog, a day of one digit',
      `Dec  1 06:55:46 LabSZ sshd[24200]: ${message}`,
      '2015-12-01T06:55:46.000Z',
    ],
    [
      'syslog with a priority',
      `<38>Dec 10 06:55:46 LabSZ sshd[24200]: ${message}`,
      '2015-12-10T06:55:46.000Z',
    ],
    ['syslog with a year', `Dec 10 2012 06:55:46 LabSZ sshd[24200]: ${message}`, '2012-12-10T06:55:46.000Z'],
    ['syslog without a host', `Dec 10 06:55:46 sshd[24200]: ${message}`, '2015-12-10T06:55:46.000Z'],
    [
      'a program with a path',
      `Dec 10 06:55:46 h /usr/sbin/sshd[24200]: ${message}`,
      '2015-12-10T06:55:46.000Z',
    ],
    [
      'a host that is an address',
      `Dec 10 06:55:46 2001:db8::5 sshd[1]: ${message}`,
      '2015-12-10T06:55:46.000Z',
    ],
    [
      'a host that is an address, rsyslog',
      `2024-03-01T12:00:00+01:00 2001:db8:: sshd[1]: ${message}`,
      '2024-03-01T11:00:00.000Z',
    ],
    ['BusyBox', `Dec 10 06:55:46 alpine auth.info sshd[1]: ${message}`, '2015-12-10T06:55:46.000Z'],
    ['OpenWrt', `Thu Dec 10 06:55:46 2015 authpriv.info sshd[1]: ${message}`, '2015-12-10T06:55:46.000Z'],
    ['Windows', `7840 2024-03-01 11:00:00.471 ${message}`, '2024-03-01T11:00:00.471Z'],
    ['metalog', `Dec 10 06:55:46 [sshd] ${message}`, '2015-12-10T06:55:46.000Z'],
    ['metalog of old', `Dec 10 06:55:46 [sshd]: ${message}`, '2015-12-10T06:55:46.000Z'],
    ['facility and level', `Dec 10 06:55:46 h auth.info: sshd[1]: ${message}`, '2015-12-10T06:55:46.000Z'],
    ['Solaris', `Dec 10 06:55:46 h sshd[1]: [ID 800047 auth.info] ${message}`, '2015-12-10T06:55:46.000Z'],
    [
      'a relay',
      `2015-12-10T06:55:48Z 192.0.2.9 Dec 10 06:55:46 h sshd[1]: ${message}`,
      '2015-12-10T06:55:48.000Z',
    ],
    ['OpenSSH 9.8', `Dec 10 06:55:46 h sshd-session[24200]: ${message}`, '2015-12-10T06:55:46.000Z'],
    ['rsyslog', `2024-03-01T12:00:00.123456+01:00 h sshd[1]: ${message}`, '2024-03-01T11:00:00.123Z'],
    ['journald, iso', `2024-03-01T12:00:00+0100 h sshd[1]: ${message}`, '2024-03-01T11:00:00.000Z'],
    ['journald, unix', `1709290800.5 h sshd[1]: ${message}`, '2024-03-01T11:00:00.500Z'],
    ['journald, full', `Fri 2024-03-01 11:00:00 UTC h sshd[1]: ${message}`, '2024-03-01T11:00:00.000Z'],
    [
      'journald, full, with an offset',
      `Fri 2024-03-01 14:00:00.5 +03 h sshd[1]: ${message}`,
      '2024-03-01T11:00:00.500Z',
    ],
    [
      'journald, full, of a zone by its letters',
      `Fri 2024-03-01 11:00:00 CET h sshd[1]: ${message}`,
      '2024-03-01T11:00:00.000Z',
    ],
    [
      'journald, with units',
      `Fri 2024-03-01 11:00:00 UTC h ssh.service[1]: ${message}`,
      '2024-03-01T11:00:00.000Z',
    ],
    ['FreeBSD, verbose', `Dec 10 06:55:46 <auth.info> h sshd[1]: ${message}`, '2015-12-10T06:55:46.000Z'],
    [
      'FreeBSD, verbose in numbers',
      `Dec 10 06:55:46 <4.6> h sshd[1]: ${message}`,
      '2015-12-10T06:55:46.000Z',
    ],
    [
      'macOS, as syslog',
      `2024-03-01 12:00:00.123456+0100  localhost sshd[1]: ${message}`,
      '2024-03-01T11:00:00.123Z',
    ],
    [
      'macOS, in columns',
      `2024-03-01 12:00:00.123456+0100 0x1a2b3c   Default     0x0                  301    0    sshd-session: (libsystem_info.dylib) ${message}`,
      '2024-03-01T11:00:00.123Z',
    ],
    ['RFC 5424', `<38>1 2024-03-01T11:00:00.003Z h sshd 123 - - ${message}`, '2024-03-01T11:00:00.003Z'],
    [
      'RFC 5424 with data',
      `<38>1 2024-03-01T11:00:00Z h sshd 123 ID47 [a@1 x="]\\" y"][b@2] \uFEFF${message}`,
      '2024-03-01T11:00:00.000Z',
    ],
    [
      'journald, JSON',
      JSON.stringify({
        __REALTIME_TIMESTAMP: '1709290800500000',
        _HOSTNAME: 'h',
        SYSLOG_IDENTIFIER: 'sshd',
        _PID: '1',
        MESSAGE: message,
      }),
      '2024-03-01T11:00:00.500Z',
    ],
    [
      'journald, bytes',
      JSON.stringify({
        __REALTIME_TIMESTAMP: '1709290800500000',
        _COMM: 'sshd',
        MESSAGE: [...Buffer.from(message)],
      }),
      '2024-03-01T11:00:00.500Z',
    ],
  ];

  it.each(cases)('%s', (_, line, time) => {
    const { entries } = readAll([line]);
    expect(entries.map(({ t, account, ip }) => [new Date(t).toISOString(), account, ip])).toEqual([
      [time, 'root', '192.0.2.1'],
    ]);
  });

  it('tells connections of a log of Windows apart', () => {
    const line = (pid: number, text: string) => `${pid} 2024-03-01 11:00:00.471 ${text}`;
    expect(
      told([
        line(7, 'Invalid user bob from 192.0.2.1 port 22'),
        line(8, 'Invalid user eve from 192.0.2.2 port 22'),
        line(7, 'Failed password for invalid user bob from 192.0.2.1 port 22 ssh2'),
        line(8, 'Connection closed by invalid user eve 192.0.2.2 port 22 [preauth]'),
        line(7, 'Connection closed by invalid user bob 192.0.2.1 port 22 [preauth]'),
      ]),
    ).toEqual(['fail bob 192.0.2.1', 'fail eve 192.0.2.2']);
  });

  it('passes over lines of other programs, and says of others that it does not know them', () => {
    const lines = [
      'Dec 10 06:55:46 h CRON[1]: pam_unix(cron:session): session opened for user root',
      `Dec 10 06:55:46 h nginx[1]: ${message}`,
      'kernel panic',
      `Foo 10 06:55:46 h sshd[1]: ${message}`,
      `Dec 32 06:55:46 h sshd[1]: ${message}`,
      `Dec 10 26:55:46 h sshd[1]: ${message}`,
      `<38>1 - h sshd 1 - - ${message}`,
      '{"MESSAGE":"no time"}',
      '{"broken',
    ];
    const { entries, kinds } = readAll(lines);
    expect(entries).toEqual([]);
    expect(kinds).toEqual(['other', 'other', ...Array(7).fill('unknown')]);
  });

  it('says so when sshd speaks under a header of another kind', () => {
    const { entries, kinds } = readAll([
      `Dec 10 06:55:46 h rack 7 sshd[1]: ${message}`,
      `Dec 10 06:55:46 h vendor: /usr/sbin/sshd[1]: ${message}`,
      `Dec 10 06:55:46 h sshd[1] ${message}`,
      `Dec 10 06:55:46 h login[1]: unknown user sshd[1]: ${message}`,
    ]);
    expect(entries).toEqual([]);
    expect(kinds).toEqual(['unknown', 'unknown', 'unknown', 'other']);
  });

  it('takes times without a zone as those of the given one', () => {
    const { entries } = readAll([`Jul 10 06:55:46 h sshd[1]: ${message}`], {
      zone: 'Europe/Berlin',
      year: 2015,
    });
    expect(entries.map(({ t }) => new Date(t).toISOString())).toEqual(['2015-07-10T04:55:46.000Z']);
    const full = readAll([`Wed 2024-07-10 06:55:46 CEST h sshd[1]: ${message}`], { zone: 'Europe/Berlin' });
    expect(full.entries.map(({ t }) => new Date(t).toISOString())).toEqual(['2024-07-10T04:55:46.000Z']);
  });

  it('finds the year by itself, and follows it into the next', () => {
    const line = (time: string) => `${time} h sshd[1]: ${message}`;
    const { entries } = readAll(
      ['Nov 30 10:00:00', 'Dec 31 23:59:59', 'Jan  1 00:00:01', 'Dec 31 23:59:58', 'Feb  1 00:00:00'].map(
        line,
      ),
    );
    expect(entries.map(({ t }) => new Date(t).toISOString().slice(0, 10))).toEqual([
      '2015-11-30',
      '2015-12-31',
      '2016-01-01',
      '2015-12-31',
      '2016-02-01',
    ]);
  });
});

describe('any attempt', () => {
  it('is read in time linear in its line, whoever wrote it', () => {
    const long = 'a'.repeat(2 ** 20);
    expect(told([at(1, 7, `Disconnecting authenticating user ${long}`)])).toEqual([]);
    expect(told([at(1, 7, `Disconnected from authenticating user ${'a '.repeat(2 ** 19)}`)])).toEqual([]);
  });

  const name = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => !/[\n\r]/.test(text));

  it('is read as sshd wrote it', () => {
    fc.assert(
      fc.property(
        name,
        fc.oneof(fc.ipV4(), fc.ipV6()),
        fc.nat(65_535),
        fc.boolean(),
        fc.boolean(),
        (user, ip, port, known, right) => {
          const verb = right ? 'Accepted' : 'Failed';
          const line = at(
            1,
            7,
            `${verb} password for ${known || right ? '' : 'invalid user '}${user} from ${ip} port ${port} ssh2`,
          );
          fc.pre(!((known || right) && /^(invalid|illegal) user /.test(user)));
          expect(told([line])).toEqual([`${right ? 'succeed' : 'fail'} ${user} ${ip}`]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('counts a connection’s failures, however its lines are mixed with others', () => {
    const connection = fc.record({
      pid: fc.integer({ min: 1, max: 99_999 }),
      failures: fc.nat(4),
      closes: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(connection, { selector: ({ pid }) => pid, maxLength: 8 }),
        fc.infiniteStream(fc.nat()),
        (connections, draws) => {
          const queues = connections.map(({ pid, failures, closes }) => [
            at(1, pid, `Invalid user u${pid} from 192.0.2.1 port 22`),
            ...Array<string>(failures).fill(
              at(1, pid, `Failed password for invalid user u${pid} from 192.0.2.1 port 22 ssh2`),
            ),
            ...(closes
              ? [at(1, pid, `Connection closed by invalid user u${pid} 192.0.2.1 port 22 [preauth]`)]
              : []),
          ]);
          const lines: string[] = [];
          while (queues.some((queue) => queue.length > 0)) {
            const open = queues.filter((queue) => queue.length > 0);
            const line = open[(draws.next().value ?? 0) % open.length]?.shift();
            if (line !== undefined) lines.push(line);
          }
          const counts = new Map<string, number>();
          for (const { account } of readAll(lines).entries)
            counts.set(account, (counts.get(account) ?? 0) + 1);
          expect([...counts].sort()).toEqual(
            connections.map(({ pid, failures }) => [`u${pid}`, Math.max(1, failures)] as const).sort(),
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});
