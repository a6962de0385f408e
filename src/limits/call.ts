/** One call, as the limiter sees it. */
export interface Call {
  /** HTTP method, upper case. */
  readonly method: string;
  /** Path as the client sent it, with or without its query. */
  readonly path: string;
  /** The client's address, IPv4 or IPv6 text. */
  readonly ip: string;
  /** The raw `User-Agent`. */
  readonly ua?: string | null | undefined;
  /** The id of the signed-in user; absent, null or empty for anybody else. */
  readonly user?: string | null | undefined;
  /** Reads a header by its lower-case name, where an allowlist looks at headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Instead of the cost of the route: an integer from 0 to 1,000,000. */
  readonly cost?: number | undefined;
  /** What others hold against the caller. Default: nothing. */
  readonly standing?: CallStanding | undefined;
}

/** How a caller is to be treated, by what others than the limiter have found out, such as scenarios. */
export interface CallStanding {
  /** Of the refill rate, from 0.1 to 1, besides what the service can bear. */
  readonly refillScale: number;
  /** Time in ms for which it is blocked; 0 when it is not. */
  readonly refusedForMs: number;
}
