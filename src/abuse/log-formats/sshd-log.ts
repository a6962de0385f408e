import { type EntrySink, type LineKind, type LogFormat, type LoginEntry, loginEntry } from './log-entry.ts';
import { MOST_REPEATED, readSshdMessage, type SshdMessage, type SshdPeer } from './sshd-message.ts';
import { readSyslogLine, type SyslogClock, type SyslogLine } from './syslog-line.ts';
import { TextPool } from './text-pool.ts';

/** The last ones are units of systemd, which journalctl can name in place of the program. */
const programs = new Set(['sshd', 'sshd-session', 'sshd-auth', 'ssh.service', 'sshd.service']);

/** What sshd gives a client to log in, by default. A trace that old has nothing better to wait for. */
const GRACE_MS = 120_000;
/** After this the same process number is taken for another connection. */
const CONNECTION_MS = 600_000;
const MOST_CONNECTIONS = 10_000;
const MOST_HOSTS = 1_000;

/** Shows that a connection has tried a name, until a line tells better what became of it. */
interface Trace extends SshdPeer {
  readonly since: number;
  /** Not only a name was seen: asking for the ways there are does not explain it. */
  readonly isTried: boolean;
  /** Whether its lines are known by their process, and not only by whom they speak of. */
  readonly isProcess: boolean;
}

/** A connection whose attempts have been counted, or are known to be none. */
interface Settled {
  readonly ip: string;
  readonly since: number;
  /** Until then nothing but to ask which ways there are. */
  readonly isProbe: boolean;
}

/** A line of sshd, under a header that was not understood. */
const strayLine = /(?:^|[ /])sshd[-\w]{0,16}\[\d{1,10}\]:? /;
const byLastMessage = /^(?:--- )?last message repeated (\d{1,9}) times?(?: ---)?$/;

/**
 * The log of OpenSSH's server. One attempt is counted once, though sshd, PAM and the system log may tell of it on several
 * lines: where sshd says that a password failed or was accepted, only that counts. Where it does not, as on servers that
 * take keys only, a connection that named a user and left without being let in counts as one failure, when it ends or
 * its time is over.
 */
export class SshdLog implements LogFormat {
  readonly #clock: SyslogClock;
  readonly #pool = new TextPool();
  /** Both by host and process, or by host, address and user, in the order of their lines. */
  readonly #traces = new Map<string, Trace>();
  readonly #settled = new Map<string, Settled>();
  /** The time of the last line of sshd. */
  #last = 0;
  /** What the last line of each host has brought, for hosts whose log says "last message repeated". */
  readonly #lastOfHost = new Map<string, LoginEntry | null>();

  constructor(clock: SyslogClock) {
    this.#clock = clock;
  }

  read(line: string, emit: EntrySink): LineKind {
    const entry = readSyslogLine(line, this.#clock);
    if (entry === null) return 'unknown';
    if (!programs.has(entry.program)) return this.#repeat(entry, emit);
    this.#last = entry.t;
    this.#settleOld(entry.t, emit);
    this.#remember(entry.host, null);
    const message = readSshdMessage(entry.message);
    if (message.what === 'garbled') return 'unknown';
    return this.#take(entry, message, emit) ? 'read' : 'other';
  }

  end(emit: EntrySink): void {
    for (const [key, trace] of this.#traces) this.#settle(key, trace, this.#last, emit);
    this.#settled.clear();
  }

  /** Whether the line tells of an attempt. */
  #take(line: SyslogLine, message: SshdMessage, emit: EntrySink): boolean {
    const key = keyOf(line, message);
    switch (message.what) {
      case 'failed':
      case 'accepted':
        if (key !== null) this.#told(key, { ip: message.ip, since: line.t, isProbe: false });
        this.#count(line, message, emit);
        return true;
      case 'trace':
      case 'tried':
        this.#trace(key, line, message, emit);
        return true;
      case 'left':
        this.#trace(key, line, message, emit);
        this.#close(key, line.t, emit);
        return true;
      case 'closed':
        return this.#close(key, line.t, emit);
      case 'probe':
        this.#probe(key);
        return false;
      default:
        return false;
    }
  }

  #close(key: string | null, t: number, emit: EntrySink): boolean {
    const trace = key === null ? undefined : this.#traces.get(key);
    if (key === null || trace === undefined) return false;
    this.#settle(key, trace, t, emit);
    return true;
  }

  #probe(key: string | null): void {
    const trace = key === null ? undefined : this.#traces.get(key);
    if (key === null || trace === undefined || trace.isTried) return;
    this.#told(key, { ip: trace.ip, since: trace.since, isProbe: true });
  }

  #count({ t, host }: SyslogLine, message: Attempt, emit: EntrySink): void {
    const account = this.#pool.own(message.user);
    const ip = this.#pool.own(message.ip);
    const entry = loginEntry(message.what === 'accepted' ? 'succeed' : 'fail', { t, account, ip });
    for (let time = 0; time < message.times; time += 1) emit(entry);
    this.#remember(host, entry);
  }

  #trace(key: string | null, { t, pid }: SyslogLine, { what, user, ip }: Attempt, emit: EntrySink): void {
    if (key === null) return;
    const isTried = what === 'tried';
    const isProcess = pid !== '';
    if (this.#isSettled(key, t, ip, isTried, isProcess ? CONNECTION_MS : GRACE_MS)) return;
    const waiting = this.#traces.get(key);
    // Without a process number, a name that comes once more is of another connection.
    if (waiting?.ip === ip && (isProcess || what !== 'trace')) {
      if (isTried) this.#traces.set(key, { ...waiting, isTried });
      return;
    }
    if (waiting !== undefined) this.#settle(key, waiting, t, emit);
    this.#traces.set(key, {
      user: this.#pool.own(user),
      ip: this.#pool.own(ip),
      since: t,
      isTried,
      isProcess,
    });
    if (this.#traces.size > MOST_CONNECTIONS) this.#settleOldest(t, emit);
  }

  #isSettled(key: string, t: number, ip: string, isTried: boolean, lengthMs: number): boolean {
    const settled = this.#settled.get(key);
    if (settled?.ip !== ip || t - settled.since > lengthMs) return false;
    return !(isTried && settled.isProbe);
  }

  /** The connection has been told of in plain words: its traces count no more. */
  #told(key: string, { ip, since, isProbe }: Settled): void {
    this.#traces.delete(key);
    this.#settled.delete(key);
    this.#settled.set(key, { ip: this.#pool.own(ip), since, isProbe });
    if (this.#settled.size <= MOST_CONNECTIONS) return;
    const [oldest] = this.#settled.keys();
    if (oldest !== undefined) this.#settled.delete(oldest);
  }

  #settle(key: string, trace: Trace, t: number, emit: EntrySink): void {
    if (trace.isProcess) this.#told(key, { ip: trace.ip, since: t, isProbe: false });
    else this.#traces.delete(key);
    emitFailure(trace, t, emit);
  }

  #settleOldest(t: number, emit: EntrySink): void {
    for (const [key, trace] of this.#traces) {
      this.#settle(key, trace, t, emit);
      return;
    }
  }

  /** Both are in the order of their lines, so that only the first ones can be old. */
  #settleOld(t: number, emit: EntrySink): void {
    for (const [key, trace] of this.#traces) {
      if (t - trace.since <= GRACE_MS) break;
      this.#settle(key, trace, t, emit);
    }
    for (const [key, { since }] of this.#settled) {
      if (t - since <= CONNECTION_MS) break;
      this.#settled.delete(key);
    }
  }

  #repeat({ t, host, program, pid, message }: SyslogLine, emit: EntrySink): LineKind {
    if (pid === '' && strayLine.test(message)) return 'unknown';
    const times = program === '' ? Number(byLastMessage.exec(message)?.[1] ?? 0) : 0;
    const last = this.#lastOfHost.get(host);
    if (times > MOST_REPEATED) return 'unknown';
    if (times === 0 || !last) {
      this.#remember(host, null);
      return 'other';
    }
    for (let time = 0; time < times; time += 1) emit({ ...last, t });
    return 'read';
  }

  #remember(host: string, entry: LoginEntry | null): void {
    if (entry === null && !this.#lastOfHost.has(host)) return;
    if (this.#lastOfHost.size >= MOST_HOSTS) this.#lastOfHost.clear();
    this.#lastOfHost.set(this.#pool.own(host), entry);
  }
}

type Attempt = Extract<SshdMessage, SshdPeer>;

/** What lines of one connection have in common; without a process number it is whom they speak of, null where they name nobody. */
function keyOf({ host, pid }: SyslogLine, message: SshdMessage): string | null {
  if (pid !== '') return `${host} ${pid}`;
  return 'ip' in message ? `${host} ${message.ip} ${message.user}` : null;
}

function emitFailure({ user, ip }: SshdPeer, t: number, emit: EntrySink): void {
  emit(loginEntry('fail', { t, account: user, ip }));
}
