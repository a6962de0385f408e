import type { ScenarioStanding } from './scenario-standing.ts';

/** A call as scenarios see it before it is answered. */
export interface RequestCall {
  /** HTTP method, in any case. */
  readonly method: string;
  /** The path as the client sent it, with its query. */
  readonly path: string;
  /** The client's address, IPv4 or IPv6 text. */
  readonly ip: string;
  /** The raw `User-Agent`. */
  readonly ua?: string | null | undefined;
  /** The id of the signed-in user; absent, null or empty for anybody else. */
  readonly user?: string | null | undefined;
  /**
   * The names of the request's headers in the order they came, in any case. Absent where nobody saw them, as in most logs:
   * signs that need them are then blind, and say so.
   */
  readonly headerNames?: readonly string[] | null | undefined;
  /** Reads a header by its lower-case name, where an allowlist looks at headers. */
  readonly header?: ((name: string) => string | undefined) | undefined;
}

/** A call and how it ended: what scenarios observe. */
export interface RequestEvent extends RequestCall {
  /** The status of the answer; absent or null where nobody knows it, or the client went away before it began. */
  readonly status?: number | null | undefined;
  /** The pattern that the host matched, `/users/:id`. Absent: the path with what looks like an id taken out. */
  readonly route?: string | null | undefined;
  /**
   * How the caller stood when the call came: what `standing` gave for it. A call that was under way when its caller was degraded
   * does not show that it goes on. Absent: nobody asked, and every call does.
   */
  readonly standing?: ScenarioStanding | undefined;
}
