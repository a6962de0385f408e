import { ACCESS_TIME_LENGTH, AccessTimes } from './access-time.ts';
import { unescapeField } from './escaped-field.ts';
import type { EntrySink, LineKind, LogFormat } from './log-entry.ts';
import { detached, TextPool } from './text-pool.ts';

const backslash = 92;
const space = 32;
const dash = 45;
const zero = 48;
/** Behind the time: its bracket and the quote that opens the request. */
const OPENING = '] "';
const methodShape = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

/**
 * Access logs of nginx and Apache: common, combined, with or without the virtual host in front, and whatever is appended behind.
 * A client can write what it likes into its name, request, referer and agent, but not an unescaped quote; the time
 * is therefore the one that stands right before the first `] "`.
 */
export class AccessLog implements LogFormat {
  readonly #times = new AccessTimes();
  readonly #pool = new TextPool();

  read(line: string, emit: EntrySink): LineKind {
    let open = line.indexOf(OPENING);
    let t: number | null = null;
    while (open >= 0) {
      const start = open - ACCESS_TIME_LENGTH;
      t = start > 0 ? this.#times.read(line.slice(start, open)) : null;
      if (t !== null) break;
      open = line.indexOf(OPENING, open + 1);
    }
    if (t === null) return 'unknown';
    const requestAt = open + OPENING.length;
    const requestEnd = closingQuote(line, requestAt);
    if (requestEnd < 0 || line.charCodeAt(requestEnd + 1) !== space) return 'unknown';
    const status = statusAt(line, requestEnd + 2);
    const who = this.#clientOf(line, open - ACCESS_TIME_LENGTH - 1);
    if (status < 0 || who === null) return 'unknown';
    const [method, path] = this.#requestOf(line.slice(requestAt, requestEnd));
    const { ip, user } = who;
    emit({ kind: 'request', t, ip, user, method, path, status, ua: this.#agentOf(line, requestEnd + 5) });
    return 'read';
  }

  end(): void {
    // Every entry is told by its own line.
  }

  /** Address and user; the text before the bracket at `end` is `[host] address ident user `. */
  #clientOf(line: string, end: number): { readonly ip: string; readonly user: string | null } | null {
    if (line.charCodeAt(end) !== openBracket || line.charCodeAt(end - 1) !== space) return null;
    const start = afterHost(line, end);
    const first = line.indexOf(' ', start);
    if (first <= start || first >= end) return null;
    const ident = line.indexOf(' ', first + 1);
    if (ident < 0 || ident >= end - 1) return null;
    const user = userOf(line.slice(first + 1, ident), line.slice(ident + 1, end - 1));
    if (user === null) return null;
    const isNobody = user === '-' || user === '' || user === '""';
    const ip = this.#pool.own(line.slice(start, first));
    return { ip, user: isNobody ? null : this.#pool.own(unescapeField(user)) };
  }

  #requestOf(request: string): readonly [method: string, path: string] {
    const first = request.indexOf(' ');
    if (first <= 0) return unreadable;
    const method = request.slice(0, first);
    if (!methodShape.test(method)) return unreadable;
    const last = request.lastIndexOf(' ');
    // HTTP/0.9 has no version behind the path.
    const end = last > first && request.startsWith('HTTP/', last + 1) ? last : request.length;
    return [this.#pool.own(method), detached(unescapeField(request.slice(first + 1, end)))];
  }

  /** The second of the two quoted fields behind the size; null in the common format, and for `-`. */
  #agentOf(line: string, from: number): string | null {
    const referer = line.indexOf(' "', from);
    if (referer < 0) return null;
    const refererEnd = closingQuote(line, referer + 2);
    if (refererEnd < 0 || !line.startsWith(' "', refererEnd + 1)) return null;
    const start = refererEnd + 3;
    const end = closingQuote(line, start);
    const agent = line.slice(start, end < 0 ? line.length : end);
    return agent === '-' || agent === '' ? null : this.#pool.own(unescapeField(agent));
  }
}

const openBracket = 91;
const unreadable = ['-', '-'] as const;

/**
 * Where the address begins: behind a virtual host, where one stands in front. The host is what the client asked for and may be an
 * address too, so the second field tells: before an ident and a user only an address makes the first one a host.
 */
function afterHost(line: string, end: number): number {
  const host = line.indexOf(' ');
  if (line.charCodeAt(host + 1) === dash) return 0;
  const second = line.indexOf(' ', host + 1);
  if (host <= 0 || second < 0 || second >= end || !isAddressLike(line.slice(host + 1, second))) return 0;
  // An ident may look like an address as well; then only the user is left.
  const hasBoth = line.indexOf(' ', second + 1) < end - 1;
  return hasBoth || !isAddressLike(line.slice(0, host)) ? host + 1 : 0;
}

/**
 * The user; null where the fields are others. Ingress controllers of old write the addresses once more, in brackets, before the user.
 * Behind an ident that is there a user does not begin with a dash: that is a field of which we do not know what it says.
 */
function userOf(ident: string, text: string): string | null {
  if (ident !== '-') return text.startsWith('- ') ? null : text;
  return text.startsWith('[') ? (bracketed.exec(text)?.[1] ?? text) : text;
}

/** Up to the last bracket, for clients may send more in the header that stands there. */
const bracketed = /^\[.*\] - (.*)$/s;

/** The next quote from `at` on that no backslash escapes; −1 where there is none. */
function closingQuote(line: string, at: number): number {
  let end = line.indexOf('"', at);
  while (end > at && line.charCodeAt(end - 1) === backslash) {
    let slashes = 1;
    while (end - slashes > at && line.charCodeAt(end - slashes - 1) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
    end = line.indexOf('"', end + 1);
  }
  return end;
}

/** Three digits and a space or the end; 0 for `-`; −1 for anything else. */
function statusAt(line: string, at: number): number {
  const first = line.charCodeAt(at);
  if (first === dash) return isEnd(line.charCodeAt(at + 1)) ? 0 : -1;
  const status = (first - zero) * 100 + digit(line, at + 1) * 10 + digit(line, at + 2);
  const isNumber = first >= zero && first <= zero + 9 && status >= 0 && status <= 999;
  return isNumber && isEnd(line.charCodeAt(at + 3)) ? status : -1;
}

const isEnd = (code: number): boolean => code === space || Number.isNaN(code) || code === 13;

function digit(line: string, at: number): number {
  const value = line.charCodeAt(at) - zero;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

/** Whether the text may be an address, and no host name or host with a port. */
function isAddressLike(text: string): boolean {
  let colons = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === colon) colons += 1;
    else if (code === percent) return colons > 1;
    else if (!isHexOrDot(code)) return false;
  }
  return colons > 1 || (colons === 0 && quad.test(text));
}

const colon = 58;
const percent = 37;
const quad = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

function isHexOrDot(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 46 && code <= 57 && code !== 47) || (letter >= 97 && letter <= 102);
}
