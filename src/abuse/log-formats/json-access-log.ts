import { AccessTimes } from './access-time.ts';
import { withJsonEscapes } from './escaped-field.ts';
import { type Fields, firstOf, headerOf, textOf, timeOf } from './json-fields.ts';
import type { EntrySink, LineKind, LogFormat } from './log-entry.ts';
import { parseObject } from './syslog-line.ts';
import type { TimeZone } from './time-zone.ts';

/**
 * Finds a client behind trusted proxies.
 *
 * @param peer the address the server has seen
 * @param header reads a header of the request by its lower-case name
 */
export type ClientOfPeer = (peer: string, header: (name: string) => string | undefined) => string;

/** Names of one thing in the logs of nginx, Caddy, Traefik, Node's loggers, the Elastic schema and Google Cloud, most telling first. */
const names = {
  time: ['@timestamp', 'time_iso8601', 'ts', 'StartUTC', 'timestamp', 'time', 'msec', 'time_local', 'date'],
  ip: [
    'remote_addr',
    'request.remote_ip',
    'ClientHost',
    'client_ip',
    'remote_ip',
    'req.remoteAddress',
    'source.ip',
    'client.ip',
    'remoteAddress',
    'clientip',
    'ClientAddr',
    'request.remote_addr',
    'httpRequest.remoteIp',
    'remoteIp',
    'ip',
  ],
  user: ['remote_user', 'user_id', 'ClientUsername', 'user.name', 'user'],
  method: [
    'request_method',
    'request.method',
    'RequestMethod',
    'req.method',
    'http.request.method',
    'httpRequest.requestMethod',
    'method',
    'verb',
  ],
  /** As the client has sent it. */
  target: ['request_uri', 'request.uri', 'RequestPath', 'req.url', 'url.original', 'httpRequest.requestUrl'],
  /** Perhaps without its query, or the file that a server has found for it. */
  path: ['url.path', 'uri', 'path', 'url'],
  query: ['url.query', 'args', 'query_string'],
  status: [
    'status',
    'DownstreamStatus',
    'OriginStatus',
    'res.statusCode',
    'http.response.status_code',
    'httpRequest.status',
    'status_code',
    'statusCode',
    'response',
  ],
  agent: [
    'http_user_agent',
    'request.headers.User-Agent',
    'request_User-Agent',
    'req.headers.user-agent',
    'user_agent.original',
    'httpRequest.userAgent',
    'user_agent',
    'userAgent',
    'agent',
  ],
  forwarded: [
    'http_x_forwarded_for',
    'request.headers.X-Forwarded-For',
    'request_X-Forwarded-For',
    'req.headers.x-forwarded-for',
    'x_forwarded_for',
  ],
} as const;

/** Where Caddy tells why a request has failed, which it tells of once more in its access log. */
const CADDY_ERRORS = 'http.log.error';

/** Stands for a method or path that the log does not tell, or the server could not read. */
const UNNAMED = '-';

const requestLine = /^([A-Za-z][A-Za-z0-9_-]{0,31}) (\S.*?)(?: HTTP\/[\d.]+)?$/s;

/** Access logs of one JSON object a line. An object with a time and nothing of a request is about something else. */
export class JsonAccessLog implements LogFormat {
  readonly #times = new AccessTimes();
  readonly #clientOf: ClientOfPeer | null;
  readonly #zone: TimeZone;

  /**
   * @param clientOf asked where the log tells a forwarding header; without it the peer is the client
   * @param zone of times that name none
   */
  constructor(clientOf: ClientOfPeer | null, zone: TimeZone) {
    this.#clientOf = clientOf;
    this.#zone = zone;
  }

  read(line: string, emit: EntrySink): LineKind {
    const fields = fieldsOf(line);
    if (fields === null) return 'unknown';
    if (textOf(fields.logger)?.startsWith(CADDY_ERRORS)) return 'other';
    const peer = textOf(firstOf(fields, names.ip));
    const t = this.#timeOf(firstOf(fields, names.time));
    const status = statusOf(firstOf(fields, names.status));
    const [method, path] = requestOf(fields);
    if (peer === null || t === null || status === null) {
      // Servers write of themselves into the same log. What has parts of a request was to be one, under names we do not know.
      const isOfRequest = peer !== null || status !== null || method !== UNNAMED || path !== UNNAMED;
      return t === null || isOfRequest ? 'unknown' : 'other';
    }
    const ip = this.#clientBehind(withoutPort(peer), fields);
    const user = textOf(firstOf(fields, names.user));
    emit({ kind: 'request', t, ip, user, method, path, status, ua: textOf(firstOf(fields, names.agent)) });
    return 'read';
  }

  end(): void {
    // Every entry is told by its own line.
  }

  #timeOf(value: unknown): number | null {
    return timeOf(value, this.#zone) ?? (typeof value === 'string' ? this.#times.read(value) : null);
  }

  #clientBehind(peer: string, fields: Fields): string {
    const forwarded = this.#clientOf === null ? null : headerOf(firstOf(fields, names.forwarded));
    if (this.#clientOf === null || forwarded === null) return peer;
    return this.#clientOf(peer, (name) => (name === 'x-forwarded-for' ? forwarded : undefined));
  }
}

/** A client must not be able to make its lines unreadable by what it sends. */
function fieldsOf(line: string): Fields | null {
  const fields = parseObject(line);
  const mended = fields === null ? withJsonEscapes(line) : null;
  return mended === null ? fields : parseObject(mended);
}

function requestOf(fields: Fields): readonly [method: string, path: string] {
  const method = textOf(firstOf(fields, names.method));
  const target = textOf(firstOf(fields, names.target));
  if (method !== null && target !== null) return [method, target];
  const [, verb, sent] = requestLine.exec(textOf(fields.request) ?? '') ?? [];
  return [method ?? verb ?? UNNAMED, target ?? sent ?? pathOf(fields) ?? UNNAMED];
}

function pathOf(fields: Fields): string | null {
  const path = textOf(firstOf(fields, names.path));
  const query = path === null || path.includes('?') ? null : textOf(firstOf(fields, names.query));
  return query === null ? path : `${path}?${query}`;
}

function statusOf(value: unknown): number | null {
  const status = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) && status >= 0 && status < 1_000
    ? status
    : null;
}

const addressAndPort = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d{1,5})?$/;

/** `203.0.113.7:52342` and `[2001:db8::1]:52342` without the port. */
export function withoutPort(text: string): string {
  const found = addressAndPort.exec(text);
  return found?.[1] ?? found?.[2] ?? text;
}
