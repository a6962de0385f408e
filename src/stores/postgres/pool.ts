/** The rows of one statement. */
export interface PostgresRows {
  readonly rows: unknown[][];
}

/** The part of a `pg` client that the store uses. */
export interface PostgresClient {
  /** A text of several statements has as many results. */
  query(statement: {
    name?: string;
    text: string;
    values?: unknown[];
    rowMode: 'array';
  }): Promise<PostgresRows | PostgresRows[]>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  /** Gives the client back to its pool; with an error it is ended instead. */
  release(error?: Error): void;
}

/** The part of a `pg` pool that the store uses: any `Pool` of `pg` 8 is one. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}
