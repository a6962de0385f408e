import { emptyAccount } from './log-entry.ts';

/** Whom a message of sshd speaks of. */
export interface SshdPeer {
  readonly user: string;
  readonly ip: string;
}

/**
 * What a message of sshd says about an attempt. `failed` and `accepted` tell how one ended; a `trace` shows that somebody came with a
 * name, which another line of the same connection may tell better, `tried` that they used it, and `left` that the connection has ended with it; `probe` says that
 * nothing was tried until then but to ask which ways there are; `garbled` begins like one of these and goes on otherwise.
 */
export type SshdMessage =
  | ({ readonly what: SshdAttempt; readonly times: number } & SshdPeer)
  | { readonly what: 'probe' | 'closed' | 'other' | 'garbled' };

type SshdAttempt = 'failed' | 'accepted' | 'trace' | 'tried' | 'left';

const probe: SshdMessage = { what: 'probe' };
const closed: SshdMessage = { what: 'closed' };
const other: SshdMessage = { what: 'other' };
const garbled: SshdMessage = { what: 'garbled' };

/** More repetitions than this are a forged line: syslog writes the count at least every few minutes. */
export const MOST_REPEATED = 10_000;
const longestUser = 1_024;

const repeated = /^message repeated (\d{1,9}) times: \[ ?(.*)\]$/s;
const verdict = /^(Failed|Accepted|Postponed|Partial) (\S+) for (invalid user |illegal user )?/;
/** What stands behind the last ` from `. */
const origin = /^(\S+)(?: port \d{1,5})?(?: ssh\d?)?(?: \[preauth\])?$/s;
const originOfVerdict = /^(\S+) port \d{1,5}(?: ssh\d?)?(?: \[preauth\])?$/s;
/** Of these methods sshd says no more than who and from where. */
const isBrief = /^(?:password|keyboard-interactive)/;
/** Where sshd goes on about a key or a principal, with words of the client's choice. */
const originBeforeMore = / from (\S+) port \d{1,5}(?: ssh\d?)?(?: \[preauth\])?(?=: |$)/g;
const invalidUser = /^(?:error: )?(?:Invalid|Illegal) user /;
/** macOS also tells at which of its own addresses. */
const originOfPam = /^(\S+)(?: port \d{1,5})?(?: via \S+)?(?: \[preauth\])?$/s;
const pamError = /^error: PAM: .{1,200}? for (?:illegal user |invalid user )?/;
const exceeded = /^error: maximum authentication attempts exceeded for (?:invalid user )?/;
const weakSigns = [
  [invalidUser, origin, 'trace'],
  [pamError, originOfPam, 'tried'],
  [exceeded, origin, 'tried'],
] as const;
/** A user that there is, who may not log in; why stands behind. */
const notAllowed = /^User (\S+) from (\S+) not allowed because /;
const rootRefused = /^ROOT LOGIN REFUSED FROM (\S+)(?: port \d{1,5})?(?: \[preauth\])?$/;
/** OpenSSH since 7.6: whom a connection that was not let in belonged to. */
const unfinished =
  /^(Connection (?:closed|reset) by|Disconnected from|Disconnecting) (authenticating|invalid) user /;
/** Behind a name without spaces, as users that there are have. Anchored: what looks back from every place takes for ever. */
const knownAndPeer = /^(\S+) (\S+) port \d{1,5}(?=$|:? )/;
const peerAtEnd = / (\S+) port \d{1,5}(?: \[preauth\])?$/g;
const peerBeforeReason = / (\S+) port \d{1,5}:(?= )/g;
/** The one reason to disconnect that repeats what the client has said. */
const quotingReason = 'Change of username or service not allowed: (';
const closing =
  /^(?:error: )?(?:Connection (?:closed|reset)|Received disconnect|Disconnect|Timeout before auth|fatal: Timeout)/;

/**
 * Reads a message. What a client has chosen, its name or that of its key, cannot pass for another part: addresses are taken from the
 * end, and where chosen words may stand behind them too, a message that can be read in two ways is garbled.
 */
export function readSshdMessage(text: string): SshdMessage {
  const message = text.trimEnd();
  const repetition = message.startsWith('message repeated ') ? repeated.exec(message) : null;
  if (repetition === null) return readOne(message, 1);
  const times = Number(repetition[1]);
  return times >= 1 && times <= MOST_REPEATED ? readOne(repetition[2] ?? '', times) : garbled;
}

function readOne(message: string, times: number): SshdMessage {
  const judged = verdict.exec(message);
  if (judged !== null) return readVerdict(judged, message, times);
  for (const [pattern, peer, what] of weakSigns) {
    const found = pattern.exec(message);
    if (found !== null) return peerAfter(found[0].length, message, peer, what, times);
  }
  const refused = readRefused(message);
  if (refused !== null) return told('trace', refused, times);
  const ended = unfinished.exec(message);
  if (ended !== null) return readUnfinished(ended, message);
  return closing.test(message) ? closed : other;
}

/** A key that was not taken shows an attempt, but clients offer one key after the other before they are let in. */
function readVerdict(
  [start, word, method, unknown]: RegExpExecArray,
  message: string,
  times: number,
): SshdMessage {
  if (word === 'Postponed' || word === 'Partial') return other;
  if (word === 'Failed' && method === 'none') return probe;
  const isWeak = word === 'Failed' && (method === 'publickey' || method === 'hostbased');
  const what = word === 'Accepted' ? 'accepted' : isWeak ? 'tried' : 'failed';
  if (method !== undefined && isBrief.test(method)) {
    return peerAfter(start.length, message, originOfVerdict, what, times);
  }
  const [peer, another] = peersIn(message.slice(start.length), originBeforeMore);
  const isClear = another === undefined || (unknown === undefined && isPlainName(peer?.user));
  return told(what, isClear ? peer : undefined, times);
}

/** Users that there are have such names as a rule: then nothing of a client's choice stands before the address. */
const isPlainName = (user: string | undefined): boolean => user !== undefined && !user.includes(' ');

function readUnfinished([start, word, known]: RegExpExecArray, message: string): SshdMessage {
  const rest = message.slice(start.length);
  const [, user, ip] = (known === 'authenticating' && knownAndPeer.exec(rest)) || [];
  const peerOfUser = user === undefined || ip === undefined ? undefined : { user, ip };
  const peers = peersIn(rest, word === 'Disconnecting' ? peerBeforeReason : peerAtEnd);
  const isClear = peers.length === 1 || !rest.includes(quotingReason);
  return told('left', peerOfUser ?? (isClear ? peers.at(-1) : undefined), 1);
}

function readRefused(message: string): SshdPeer | null {
  const [, user, ip] = notAllowed.exec(message) ?? [];
  if (user !== undefined && ip !== undefined) return { user, ip };
  const rootsIp = rootRefused.exec(message)?.[1];
  return rootsIp === undefined ? null : { user: 'root', ip: rootsIp };
}

function told(what: SshdAttempt, peer: SshdPeer | undefined, times: number): SshdMessage {
  return peer === undefined || peer.user.length > longestUser ? garbled : { what, times, ...peer };
}

/** All that may be the peer, in a text that begins with the name of the user. */
function peersIn(text: string, pattern: RegExp): SshdPeer[] {
  return [...text.matchAll(pattern)].map(({ index, 1: ip = '' }) => ({
    user: nameOf(text.slice(0, index)),
    ip,
  }));
}

function peerAfter(
  start: number,
  message: string,
  pattern: RegExp,
  what: SshdAttempt,
  times: number,
): SshdMessage {
  const from = message.lastIndexOf(' from ');
  const ip = from < start ? undefined : pattern.exec(message.slice(from + 6))?.[1];
  return told(what, ip === undefined ? undefined : { user: nameOf(message.slice(start, from)), ip }, times);
}

const nameOf = (user: string): string => (user === '' ? emptyAccount : user);
