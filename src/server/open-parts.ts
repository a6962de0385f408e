type End = () => unknown;

/**
 * What has been opened. It ends with the last first, because that stands on what was there before it; and all of it ends,
 * whatever fails on the way.
 */
export class OpenParts {
  readonly #stages: End[][] = [];
  readonly #onFault: (error: unknown) => void;
  #closed: Promise<readonly unknown[]> | null = null;

  /** @param onFault told of every part that did not end well */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** @param end may throw or reject, and is waited for */
  add(end: End): void {
    this.#stages.push([end]);
  }

  /** A list for parts that all end at the same time, in the place of this call. */
  together(): End[] {
    const stage: End[] = [];
    this.#stages.push(stage);
    return stage;
  }

  /** Gives what failed; does not reject. Closing twice is closing once. */
  close(): Promise<readonly unknown[]> {
    this.#closed ??= this.#endAll();
    return this.#closed;
  }

  async #endAll(): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    for (const stage of this.#stages.toReversed()) {
      const ended = await Promise.allSettled(stage.map(async (end) => end()));
      for (const result of ended) if (result.status === 'rejected') failures.push(result.reason);
    }
    for (const failure of failures) this.#onFault(failure);
    return failures;
  }
}
