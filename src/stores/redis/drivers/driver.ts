/** Sends one command and gives its reply; rejects with an error whose message is the server's, or the connection's. */
export type Send = (args: readonly string[]) => Promise<unknown>;

/** What a driver tells of its connection. */
export interface DriverEvents {
  /** Commands can be sent, for the first time or again. */
  up(): void;
  /** Commands cannot be sent; the driver is reconnecting. */
  down(cause: unknown): void;
}

/**
 * All that the store needs of a Redis client library. A driver keeps itself connected, follows the topology and
 * follows redirections (a redirected command has not been executed). It never queues a command while it is not
 * connected and never sends one again that may have been executed: a commit sent twice could count twice.
 */
export interface Driver {
  /** Whether keys live in slots on several nodes. */
  readonly isCluster: boolean;
  /** Starts connecting, in the background. */
  open(events: DriverEvents): void;
  /** Sends one command to the master that serves `key`. */
  send(args: readonly string[], key: string): Promise<unknown>;
  /** One sender for each master, for walks through all keys. */
  masters(): Promise<readonly Send[]>;
  /** A command about `key` was not answered in time: the driver finds out whether its connection still lives. */
  doubt(key: string): void;
  /** Drops connections that do not lead to a master any more and connects anew. */
  reset(): void;
  /** Ends what the driver itself has opened. */
  close(): Promise<void>;
}
