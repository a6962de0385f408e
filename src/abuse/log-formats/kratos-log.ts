import { type ClientOfPeer, withoutPort } from './json-access-log.ts';
import { type Fields, firstOf, headerOf, textOf, timeOf } from './json-fields.ts';
import { type EntrySink, type LineKind, type LogFormat, type LoginEntry, loginEntry } from './log-entry.ts';
import { parseObject, readIsoTime } from './syslog-line.ts';
import type { TimeZone } from './time-zone.ts';

const failedMessage = /^Encountered self-service login error\b/;
const grantedMessage = /^Identity authenticated successfully and was issued an O(?:ry|RY) Kratos Session\b/;
/** Of the errors of a login flow only these say that a credential was wrong; others are expired flows, missing fields, CSRF. */
const wrongPassword = /provided credentials are invalid/i;
const wrongCode =
  /provided authentication code is invalid|(?:login|registration) code is invalid|recovery code (?:is not valid|has already been used)|code is invalid or has already been used/i;

/** What a line begins that goes on below: Kratos's text logs break where a stack trace is told. */
interface OpenRecord {
  readonly t: number;
  readonly op: LoginEntry['op'];
  /** Lines seen so far. */
  lines: number;
}

const MOST_LINES = 200;

/**
 * The audit lines of Ory Kratos, as JSON or as text. A failure is keyed by the identifier of its login flow, a
 * success by the id of the identity, which are the names Kratos gives. Text logs do not tell the identifier: their
 * failures are nameless.
 */
export class KratosLog implements LogFormat {
  readonly #clientOf: ClientOfPeer | null;
  readonly #zone: TimeZone;
  #open: OpenRecord | null = null;
  /** Whether a text record has begun: before that no line can belong to one. */
  #hasBegun = false;

  /** @param zone of times that name none */
  constructor(clientOf: ClientOfPeer | null, zone: TimeZone) {
    this.#clientOf = clientOf;
    this.#zone = zone;
  }

  read(line: string, emit: EntrySink): LineKind {
    const json = line.startsWith('{') ? line : line.slice(ofCompose.exec(line)?.[0].length ?? 0);
    if (json.startsWith('{')) return this.#readJson(json, emit);
    const start = textStart.exec(line);
    if (start === null) return this.#readMore(line, emit);
    this.#hasBegun = true;
    const opening = openingOf(start, line, this.#zone);
    this.#open = typeof opening === 'string' ? null : opening;
    return typeof opening === 'string' ? opening : this.#readMore(line, emit);
  }

  end(): void {
    this.#open = null;
  }

  #readJson(line: string, emit: EntrySink): LineKind {
    const fields = parseObject(line);
    // Kratos dates every line; an object without a time is none of its log.
    const t = fields && timeOf(fields.time, this.#zone);
    if (fields === null || t === null) return 'unknown';
    const message = textOf(fields.msg) ?? '';
    const isGranted = grantedMessage.test(message);
    if (!isGranted && !failedMessage.test(message)) return 'other';
    const error = isGranted ? '' : jsonOf(fields.error ?? '');
    if (error === null) return 'unknown';
    const action = isGranted ? 'auth.login' : actionOf(error);
    const account = isGranted ? textOf(fields.identity_id) : identifierOf(fields);
    const ip = this.#addressOf(fields);
    if (ip === null) return 'unknown';
    if (action === null) return 'other';
    if (account === null) return 'nameless';
    const ua = textOf(firstOf(fields, ['http_request.headers.user-agent']));
    emit(loginEntry(isGranted ? 'succeed' : 'fail', { t, account, ip, ua, action }));
    return 'read';
  }

  #addressOf(fields: Fields): string | null {
    const peer = textOf(firstOf(fields, ['http_request.remote']));
    if (peer === null) return null;
    const header = (name: string) => headerOf(firstOf(fields, [`http_request.headers.${name}`])) ?? undefined;
    const address = withoutPort(peer);
    return this.#clientOf === null ? address : this.#clientOf(address, header);
  }

  /** A line of a record that has begun. Headers are the client's words and come before what Kratos says of the peer. */
  #readMore(line: string, emit: EntrySink): LineKind {
    const open = this.#open;
    if (open === null) return this.#hasBegun && isContinuation(line) ? 'other' : 'unknown';
    open.lines += 1;
    const peer = peerOf(line);
    if (peer === null) {
      if (open.lines > MOST_LINES) this.#open = null;
      return 'other';
    }
    this.#open = null;
    const account = identityField.exec(line.slice(peer.end))?.[1];
    if (open.op === 'fail' || account === undefined) return 'nameless';
    emit(loginEntry('succeed', { t: open.t, account, ip: withoutPort(peer.remote) }));
    return 'read';
  }
}

/** The name of a container, before an object. */
const ofCompose = /^\S{1,64} *\| *(?=\{)/;
const textStart = /^(?:\S{1,64} *\| *)?time="?(\S{1,40}?)"? level=\w{1,10} msg=/;
const peerField = / remote:(\S+) scheme:https?\]/g;
const identityField = / identity_id=([0-9a-fA-F-]{36})(?: |$)/;

/** The record of an attempt that the line begins; else what kind of line it is. */
function openingOf(
  [whole, time = '']: RegExpExecArray,
  line: string,
  zone: TimeZone,
): OpenRecord | 'other' | 'unknown' {
  const message = line.slice(whole.length).replace(/^"/, '');
  const isGranted = grantedMessage.test(message);
  if (!isGranted && !(failedMessage.test(message) && actionOf(message) !== null)) return 'other';
  const t = readIsoTime(time, zone);
  return t === null ? 'unknown' : { t, op: isGranted ? 'succeed' : 'fail', lines: 0 };
}

/** The last one: what a client may write stands before it. */
function peerOf(line: string): { readonly remote: string; readonly end: number } | null {
  let peer: { readonly remote: string; readonly end: number } | null = null;
  for (const found of line.matchAll(peerField)) {
    peer = { remote: found[1] ?? '', end: found.index + found[0].length };
  }
  return peer;
}

/** Lines of a stack trace, which belong to a record that tells of something else. */
const isContinuation = (line: string): boolean =>
  /^(?:\S{1,64} *\| *)?(?:\s|[\w.-]+\/\S|\w+\.\S|$)/.test(line);

/** Null for what is nested too deeply to be written, though it could be read. */
function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

function actionOf(error: string): LoginEntry['action'] | null {
  if (wrongPassword.test(error)) return 'auth.login';
  return wrongCode.test(error) ? 'auth.otp' : null;
}

/** What was typed as identifier, in the form that Kratos shows again. */
function identifierOf(fields: Fields): string | null {
  const nodes = firstOf(fields, ['login_flow.ui.nodes', 'login_request.ui.nodes']);
  if (!Array.isArray(nodes)) return null;
  for (const node of nodes) {
    const attributes: unknown =
      typeof node === 'object' && node !== null ? (node as Fields).attributes : null;
    if (typeof attributes !== 'object' || attributes === null) continue;
    const { name, value } = attributes as Fields;
    if (name === 'identifier' || name === 'password_identifier') return textOf(value);
  }
  return null;
}
