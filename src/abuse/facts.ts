import { Fault, shapeOf } from '../core/fault.ts';
import { parseAddress } from '../identity/address.ts';
import { Recent } from '../identity/recent.ts';
import { normaliseUserAgent } from '../identity/user-agent.ts';
import { barePath, bareTarget, pathSegments } from '../limits/request-path.ts';
import { capitalMethod } from '../limits/route-table.ts';
import { createHeaderReader, type HeaderReader, type HeaderView } from './header-view.ts';
import { isAsset, type PathShape, shapeOfPath } from './path-shape.ts';
import { type QueryParameter, queryParameters } from './query-parameters.ts';
import type { RequestEvent } from './request-event.ts';
import type { DistinctValue, SignKey } from './scenario.ts';

/** Where a call comes from. */
interface Origin {
  readonly network: string;
  readonly range: string;
}

/** Reads events; remembers what many of them have in common. */
export interface FactReader {
  /**
   * @throws Fault `INPUT_INVALID` when `path` is no text; when `ip` is no address, once somebody asks where the event
   * comes from.
   */
  read(event: RequestEvent): Facts;
}

const remembered = 8192;
const longestAddress = 64;
const longestAgent = 512;
/** More of a query than this is read only at both of its ends; servers take no longer targets. */
const longestQuery = 16_384;

export function createFactReader(): FactReader {
  const origins = new Recent<Origin>(remembered, longestAddress);
  const agents = new Recent<string>(remembered, longestAgent);
  const readHeaders = createHeaderReader();
  const originOf = (ip: string): Origin => {
    const known = origins.get(ip);
    if (known !== undefined) return known;
    const origin = findOrigin(ip);
    origins.set(ip, origin);
    return origin;
  };
  const agentOf = (ua: string): string => {
    const known = agents.get(ua);
    if (known !== undefined) return known;
    const agent = normaliseUserAgent(ua);
    agents.set(ua, agent);
    return agent;
  };
  return {
    read(event) {
      if (typeof event.path === 'string') return new Facts(event, originOf, agentOf, readHeaders);
      throw new Fault('INPUT_INVALID', `path must be a text, got ${shapeOf(event.path)}`);
    },
  };
}

function findOrigin(ip: string): Origin {
  const { text, network, macros } = parseAddress(ip);
  if (macros !== null) return { network, range: macros.p32 };
  const [first, second] = text.split('.', 2);
  return { network, range: `${first}.${second}.0.0/16` };
}

/** What an event shows. Found when it is asked for: most scenarios look at little of most events. */
export class Facts {
  readonly event: RequestEvent;
  readonly #originOf: (ip: string) => Origin;
  readonly #agentOf: (ua: string) => string;
  readonly #readHeaders: HeaderReader;
  #target: string | null = null;
  #path: string | null = null;
  #shape: PathShape | null = null;
  #segments: readonly string[] | null = null;
  #query: readonly QueryParameter[] | null = null;
  #headers: HeaderView | null | undefined = undefined;

  constructor(
    event: RequestEvent,
    originOf: (ip: string) => Origin,
    agentOf: (ua: string) => string,
    readHeaders: HeaderReader,
  ) {
    this.event = event;
    this.#originOf = originOf;
    this.#agentOf = agentOf;
    this.#readHeaders = readHeaders;
  }

  /** Upper case, however it was sent. */
  get method(): string {
    return capitalMethod(this.event.method);
  }

  /** The path with its query, and nothing else that a client may have sent with them. */
  get target(): string {
    this.#target ??= bareTarget(this.event.path);
    return this.#target;
  }

  /** The path without its query. */
  get path(): string {
    this.#path ??= barePath(this.target);
    return this.#path;
  }

  get segments(): readonly string[] {
    this.#segments ??= pathSegments(this.path);
    return this.#segments;
  }

  get query(): readonly QueryParameter[] {
    this.#query ??= queryParameters(queryOf(this.target));
    return this.#query;
  }

  get hasQuery(): boolean {
    return this.target.includes('?');
  }

  get isAsset(): boolean {
    return isAsset(this.path);
  }

  get route(): string {
    return this.event.route ?? this.#pathShape.route;
  }

  /** Null where nothing in the path looks like one. */
  get id(): string | null {
    return this.#pathShape.id;
  }

  get isSignedIn(): boolean {
    return Boolean(this.event.user);
  }

  get network(): string {
    return this.#originOf(this.event.ip).network;
  }

  get range(): string {
    return this.#originOf(this.event.ip).range;
  }

  /** `family/major` */
  get agent(): string {
    return this.#agentOf(this.event.ua ?? '');
  }

  /** Null where nobody saw the headers. */
  get headers(): HeaderView | null {
    if (this.#headers === undefined) {
      const { headerNames } = this.event;
      this.#headers = headerNames ? this.#readHeaders(headerNames) : null;
    }
    return this.#headers;
  }

  /** Who, for a key or to be told apart; null where the event does not show it. */
  who(kind: SignKey | 'agent'): string | null {
    if (kind === 'client')
      return this.event.user ? `u\0${this.event.user}` : `a\0${this.network}\0${this.agent}`;
    if (kind === 'network') return this.network;
    if (kind === 'range') return this.range;
    if (kind === 'user') return this.event.user || null;
    if (kind === 'agent') return this.agent;
    if (this.headers === null) return null;
    return kind === 'headers' ? this.headers.order : `${familyOf(this.agent)}\0${this.headers.order}`;
  }

  /**
   * The text that a `distinct` tells apart; null where the event does not show it. Never cut: what makes the difference
   * may stand behind any amount of padding. Whoever keeps it keeps a mark of it.
   */
  valueOf(kind: DistinctValue): string | null {
    if (kind === 'path') return this.path;
    if (kind === 'target') return this.target;
    if (kind === 'route') return this.route;
    if (kind === 'id') return this.id === null ? null : `${this.route}\0${this.id}`;
    return this.who(kind);
  }

  get #pathShape(): PathShape {
    this.#shape ??= shapeOfPath(this.path);
    return this.#shape;
  }
}

function queryOf(target: string): string {
  const start = target.indexOf('?');
  if (start < 0) return '';
  const query = target.slice(start + 1);
  return query.length <= longestQuery ? query : endsOf(query);
}

/** The parameters at both ends of a query, each of them whole. */
function endsOf(query: string): string {
  const half = longestQuery / 2;
  const head = query.slice(0, Math.max(0, query.lastIndexOf('&', half)));
  const tail = query.indexOf('&', query.length - half);
  return tail < 0 ? head : head + query.slice(tail);
}

function familyOf(agent: string): string {
  return agent.slice(0, agent.indexOf('/'));
}
