import { Fault, shapeOf } from '../../core/fault.ts';
import type { SentinelOptions } from './drivers/node-redis-sources.ts';

/** What a URL says of where Redis is. */
export type UrlPlace =
  | { readonly url: string }
  | { readonly cluster: readonly string[] }
  | { readonly sentinel: SentinelOptions; readonly connection: object };

const form = /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/]*)@)?([^/]+)(\/.*)?$/;

/**
 * Takes a URL apart, so that a cluster and a Sentinel trio can be named in one setting as one server can:
 *
 *     redis[s]://[user[:password]@]host[:port][/database]
 *     redis[s]+cluster://[user[:password]@]host:port[,host:port…]
 *     redis[s]+sentinel://[user[:password]@]host:port[,host:port…]/name[/database]
 *
 * Credentials are those of the servers, percent-encoded.
 *
 * @throws Fault `CONFIG_INVALID`; the message leaves the URL out, for it may hold a password.
 */
export function placeOfUrl(url: string): UrlPlace {
  const [, scheme, kind, login, hosts, path = ''] = form.exec(url) ?? [];
  if (scheme === undefined || hosts === undefined || kind === undefined)
    return { url: checkedUrl('url', url) };
  const nodes = hosts.split(',').map((host) => nodeOf(host, kind === 'sentinel' ? 26_379 : 6_379, url));
  if (kind === 'cluster') {
    if (path !== '' && path !== '/') throw refused('must name no database: a cluster has one', url);
    const prefix = `${scheme}://${login === undefined ? '' : `${login}@`}`;
    return { cluster: nodes.map(({ host, port }) => `${prefix}${host}:${port}`) };
  }
  const [, name = '', database = ''] = path.split('/');
  if (name === '') throw refused('must name the master that the Sentinels watch: …/NAME', url);
  const tls = scheme === 'rediss' ? { socket: { tls: true } } : {};
  return {
    sentinel: {
      name: decoded(name, url),
      nodes: nodes.map(withoutBrackets),
      ...(scheme === 'rediss' ? { connection: tls } : {}),
    },
    connection: { ...credentialsOf(login, url), ...databaseOf(database, url), ...tls },
  };
}

/**
 * A URL of one server. The message leaves it out: it may hold a password.
 *
 * @throws Fault `CONFIG_INVALID`
 */
export function checkedUrl(option: string, url: string): string {
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return url;
  throw new Fault(
    'CONFIG_INVALID',
    `${option} must begin with redis:// or rediss:// and name a host, got ${shapeOf(url)}.`,
  );
}

function nodeOf(text: string, port: number, url: string): { host: string; port: number } {
  const at = URL.canParse(`redis://${text}`) ? new URL(`redis://${text}`) : null;
  if (at === null || at.hostname === '') throw refused('must name hosts with ports', url);
  return { host: at.hostname, port: at.port === '' ? port : Number(at.port) };
}

/** As a socket takes it; a URL has an IPv6 address in brackets. */
const withoutBrackets = ({ host, port }: { host: string; port: number }) => ({
  host: host.replace(/^\[(.*)\]$/, '$1'),
  port,
});

function credentialsOf(login: string | undefined, url: string): object {
  if (login === undefined) return {};
  const [username = '', password] = login.split(':').map((part) => decoded(part, url));
  return { ...(username === '' ? {} : { username }), ...(password === undefined ? {} : { password }) };
}

function databaseOf(text: string, url: string): object {
  if (text === '') return {};
  if (!/^\d{1,5}$/.test(text)) throw refused('must have a number as database', url);
  return { database: Number(text) };
}

function decoded(text: string, url: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    if (cause instanceof URIError) throw refused('must be percent-encoded where it has a %', url);
    throw cause;
  }
}

function refused(what: string, url: string): Fault {
  return new Fault('CONFIG_INVALID', `url ${what}, got ${shapeOf(url)}.`);
}
