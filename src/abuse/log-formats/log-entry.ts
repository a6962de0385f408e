/** What logs of other programs tell, in the words of the engine and of the gateway. */

export const logFormatNames = ['nginx', 'apache', 'json', 'sshd', 'kratos'] as const;
export type LogFormatName = (typeof logFormatNames)[number];

/** A login attempt that a log tells of. It has the fields of an event of a replay. */
export interface LoginEntry {
  readonly kind: 'login';
  /** Milliseconds since 1970, UTC. */
  readonly t: number;
  readonly op: 'fail' | 'succeed';
  readonly action: 'auth.login' | 'auth.otp';
  readonly account: string;
  /** As the log has it: whether it is the text of an address is for the reader of the entry to say. */
  readonly ip: string;
  readonly ua: string | null;
  /** No log knows of devices. */
  readonly device: null;
  readonly cost: 1;
}

/** A request that a log tells of, after it was answered. */
export interface RequestEntry {
  readonly kind: 'request';
  /** Milliseconds since 1970, UTC. */
  readonly t: number;
  /** As the log has it, see {@link LoginEntry.ip}. */
  readonly ip: string;
  /** Who was signed in, or tried to be: the user of HTTP authentication. Null when the log names none. */
  readonly user: string | null;
  /** `-` where the request could not be read by the server, as in a TLS handshake on a plain port. */
  readonly method: string;
  /** As the client sent it, with its query; `-` as above. */
  readonly path: string;
  /** 0 when the log names none. */
  readonly status: number;
  readonly ua: string | null;
}

export type LogEntry = LoginEntry | RequestEntry;

/** Where a format puts the entries it finds. */
export type EntrySink = (entry: LogEntry) => void;

/**
 * What became of a line: `read`, it was understood and tells of an attempt or a request (whose entry may come later,
 * when it is certain that no other line tells of the same); `nameless`, it tells of an attempt but not whose, so
 * that it cannot be decided; `other`, it is a well-formed line about something else; `unknown`, it is no line of this
 * format. Nothing is guessed from an unknown line.
 */
export type LineKind = 'read' | 'nameless' | 'other' | 'unknown';

/** Reads the lines of one log, in order and without their line ends. Keeps bounded state between lines. Never throws for what a line says. */
export interface LogFormat {
  read(line: string, emit: EntrySink): LineKind;
  /** After the last line: entries that were waiting for a later line. */
  end(emit: EntrySink): void;
}

/** The parts of a login attempt that logs differ in. */
export function loginEntry(
  op: LoginEntry['op'],
  fields: Pick<LoginEntry, 't' | 'account' | 'ip'> & {
    readonly ua?: string | null;
    readonly action?: LoginEntry['action'];
  },
): LoginEntry {
  const { t, account, ip, ua = null, action = 'auth.login' } = fields;
  return { kind: 'login', t, op, action, account, ip, ua, device: null, cost: 1 };
}

/** Stands for a name that was sent empty, which is an attempt like any other. */
export const emptyAccount = '(empty)';
