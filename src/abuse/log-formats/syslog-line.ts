import { fractionMs, momentOf, monthOf, wallTime } from './calendar.ts';
import { offsetMsOf, type TimeZone } from './time-zone.ts';
import type { YearFinder } from './year-finder.ts';

/** One line of a system log, whichever of its forms it was written in. */
export interface SyslogLine {
  /** Milliseconds since 1970, UTC. */
  readonly t: number;
  readonly host: string;
  /** Without a folder before it; empty where the line names none. */
  readonly program: string;
  /** Empty where the line names none. */
  readonly pid: string;
  readonly message: string;
}

/** What is needed to read times that leave something out. */
export interface SyslogClock {
  readonly zone: TimeZone;
  readonly years: YearFinder;
}

/** `Dec 10 06:55:46`, as syslogd writes it, also with a year or a fraction; with the day of the week before it of OpenWrt. */
const traditional =
  /^(?:<\d{1,3}>)?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (?:(\d{4}) )?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?: (\d{4}))? /;
/** `2015-12-10T06:55:46.123456+01:00`, as rsyslog and journald write it. */
const iso =
  /^(?:<\d{1,3}>)?(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)? /;
/** RFC 5424: version, time, host, program, process, message id, structured data. */
const rfc5424 =
  /^<\d{1,3}>\d{1,2} (\S+ )(\S+) (\S+) (\S+) \S+ (?:-|(?:\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\])+) ?\uFEFF?/;
/** `Thu 2015-12-10 06:55:46 CET`, as `journalctl -o short-full` and `with-unit` write it. */
const withWeekday =
  /^[A-Z][a-z]{2} (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?)(?: ([A-Z]{1,5}|[+-]\d\d(?:\d\d)?))? /;
/** Process and time, as sshd itself writes them into a file on Windows. */
const ofSshd = /^(\d{1,10}) (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) /;
/** Seconds since 1970, as `journalctl -o short-unix` writes it. */
const unix = /^(\d{9,11})(?:\.(\d{1,9}))? /;
const tag = /^([^\s:[\]]{1,128})(?:\[(\d{1,10})\])?: ?/;
/** The same where no host stands before it: a colon right before more is one of an IPv6 address. */
const bareTag = /^([^\s:[\]]{1,128})(?:\[(\d{1,10})\]:|:(?= |$)) ?/;
const host = /^(\S+) /;
/** What BusyBox writes between host and program. */
const facilityAndLevel =
  /^(?:kern|user|mail|daemon|auth|authpriv|security|syslog|lpr|news|uucp|cron|ftp|ntp|console|local[0-7])\.(?:emerg|panic|alert|crit|err|error|warn|warning|notice|info|debug):? /;
/** What metalog writes in place of host and process. */
const tagInBrackets = /^\[([^\s:[\]]{1,128})\]:? /;
/** What FreeBSD writes before the host, if asked to. */
const bracketedLevel = /^<[\w.]{1,24}> /;
/** What macOS writes without a host: thread, kind, activity, process, time to live, program and, perhaps, a library. */
const columns =
  /^0x[\da-f]{1,16} +[A-Z][a-z]+ +0x[\da-f]{1,16} +(\d{1,10}) +\d{1,10} +([^\s:[\]]{1,128}): (?:\([^()\s]{1,128}\) )?/;
/** What Solaris writes before a message. */
const messageId = /^\[ID \d{1,10} \w{1,10}\.\w{1,10}\] /;

/** Reads a line; null when it is none of a system log. */
export function readSyslogLine(line: string, clock: SyslogClock): SyslogLine | null {
  const first = line.charCodeAt(0);
  if (first === openBrace) return readJournalObject(line);
  if (first === lessThan) {
    const framed = rfc5424.exec(line);
    if (framed !== null) return readFramed(framed, line, clock);
  }
  return readHeaded(line, clock);
}

const openBrace = 123;
const lessThan = 60;

function readHeaded(text: string, clock: SyslogClock): SyslogLine | null {
  const line = text.replace(withWeekday, plainHeader);
  const found = traditional.exec(line) ?? iso.exec(line) ?? unix.exec(line);
  if (found === null) return readOwnFile(line, clock);
  const t = timeOf(found, clock);
  return t === null
    ? null
    : splitRest(t, line.slice(found[0].length).trimStart().replace(bracketedLevel, ''));
}

function readOwnFile(line: string, { zone }: SyslogClock): SyslogLine | null {
  const [whole, pid, time] = ofSshd.exec(line) ?? [];
  const t = time === undefined ? null : readIsoTime(time, zone);
  if (whole === undefined || pid === undefined || t === null) return null;
  return { t, host: '', program: 'sshd', pid, message: line.slice(whole.length) };
}

/** Letters of a zone mean different ones in different places: such a time is one without a zone, but for UTC. */
function plainHeader(_: string, time: string, zone = ''): string {
  if (zone === 'UTC' || zone === 'GMT') return `${time}Z `;
  return /^[+-]/.test(zone) ? `${time}${zone.padEnd(5, '0')} ` : `${time} `;
}

function timeOf(found: RegExpExecArray, clock: SyslogClock): number | null {
  if (found.length === 3) return Number(found[1]) * 1_000 + fractionMs(found[2]);
  return found[1]?.length === 3 ? traditionalTime(found, clock) : isoTime(found, clock);
}

function traditionalTime(found: RegExpExecArray, { zone, years }: SyslogClock): number | null {
  const [, name = '', day, yearBefore, hour, minute, second, fraction, yearAfter] = found;
  const month = monthOf(name);
  if (month < 0) return null;
  const year = yearBefore ?? yearAfter;
  const wall =
    year === undefined
      ? years.find({
          month,
          day: Number(day),
          hour: Number(hour),
          minute: Number(minute),
          second: Number(second),
        })
      : wallTime(Number(year), month, Number(day), Number(hour), Number(minute), Number(second));
  return wall === null ? null : momentOf(zone(wall) + fractionMs(fraction));
}

function isoTime(found: RegExpExecArray, { zone }: SyslogClock): number | null {
  const [, year, month, day, hour, minute, second, fraction, offset] = found;
  const wall = wallTime(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  if (wall === null) return null;
  return momentOf((offset === undefined ? zone(wall) : wall - offsetOf(offset)) + fractionMs(fraction));
}

function offsetOf(text: string): number {
  return text === 'Z' ? 0 : offsetMsOf(text.slice(0, 1), Number(text.slice(1, 3)), Number(text.slice(-2)));
}

/** A time of ISO 8601, whole; null where it is none. */
export function readIsoTime(text: string, zone: TimeZone): number | null {
  const found = iso.exec(`${text} `);
  return found === null || found[0].length !== text.length + 1
    ? null
    : isoTime(found, { zone } as SyslogClock);
}

/**
 * Host and program; a line without a host has its program first. A relay writes a header of its own before that of the host it
 * speaks for; of the two times its own is the one that may have a year.
 */
function splitRest(t: number, rest: string, isRelayed = false): SyslogLine {
  const [ofColumns, pid, program] = columns.exec(rest) ?? [];
  if (ofColumns !== undefined && pid !== undefined && program !== undefined)
    return { t, host: '', program, pid, message: rest.slice(ofColumns.length) };
  const bare = bareTag.exec(rest) ?? tagInBrackets.exec(rest);
  if (bare !== null) return tagged(t, '', bare, rest);
  const named = host.exec(rest);
  if (named === null) return { t, host: '', program: '', pid: '', message: rest };
  const behind = rest.slice(named[0].length).replace(facilityAndLevel, '');
  const relayed = isRelayed ? null : (traditional.exec(behind) ?? iso.exec(behind));
  if (relayed !== null) return splitRest(t, behind.slice(relayed[0].length), true);
  const found = tag.exec(behind);
  if (found !== null) return tagged(t, named[1] ?? '', found, behind);
  return { t, host: named[1] ?? '', program: '', pid: '', message: behind };
}

function tagged(t: number, hostName: string, found: RegExpExecArray, text: string): SyslogLine {
  const program = programOf(found[1] ?? '');
  const message = text.slice(found[0].length);
  return { t, host: hostName, program, pid: found[2] ?? '', message: message.replace(messageId, '') };
}

const programOf = (text: string): string => text.slice(text.lastIndexOf('/') + 1);

function readFramed(found: RegExpExecArray, line: string, clock: SyslogClock): SyslogLine | null {
  const [whole, time = '', hostName = '', program = '', pid = ''] = found;
  const t = readIsoTime(time.trimEnd(), clock.zone);
  if (t === null) return null;
  const known = (text: string) => (text === '-' ? '' : text);
  return {
    t,
    host: known(hostName),
    program: programOf(known(program)),
    pid: known(pid),
    message: line.slice(whole.length),
  };
}

/** An object of `journalctl -o json`. */
function readJournalObject(line: string): SyslogLine | null {
  const entry = parseObject(line);
  if (entry === null) return null;
  const { __REALTIME_TIMESTAMP: time, MESSAGE: message } = entry;
  if (typeof time !== 'string' || !/^\d{1,19}$/.test(time)) return null;
  const t = momentOf(Math.floor(Number(time) / 1_000));
  if (t === null) return null;
  return {
    t,
    host: textOf(entry._HOSTNAME),
    program: programOf(textOf(entry.SYSLOG_IDENTIFIER) || textOf(entry._COMM)),
    pid: textOf(entry.SYSLOG_PID) || textOf(entry._PID),
    message: Array.isArray(message) ? bytesText(message) : textOf(message),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** journald writes a message that is not UTF-8 as its bytes. */
function bytesText(bytes: readonly unknown[]): string {
  return bytes.map((byte) => String.fromCharCode(typeof byte === 'number' ? byte & 255 : 63)).join('');
}

/** The fields of a line that is one JSON object; null for anything else. */
export function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}
