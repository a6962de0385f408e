/** What a source has said when it was asked for its next value. */
type Told<T> =
  | { readonly kind: 'value'; readonly source: AsyncIterator<T>; readonly value: T }
  | { readonly kind: 'end' }
  | { readonly kind: 'fault'; readonly cause: unknown };

/**
 * All values of all sources, which take turns: whoever stops reading has seen some of each. All are asked at once, because
 * one that walks many records to find its first would else hold up the others. One that is still on its way when nobody
 * reads any more ends as soon as it has found something.
 *
 * Fails with the first source that does.
 */
export async function* takeTurns<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const walks = sources.map((source) => source[Symbol.asyncIterator]());
  const told = new Inbox<Told<T>>();
  // Not by Promise.race: a source that is long in coming would remember every race that it has lost.
  const ask = (source: AsyncIterator<T>): void =>
    void source.next().then(
      ({ done, value }) => told.put(done === true ? { kind: 'end' } : { kind: 'value', source, value }),
      (cause: unknown) => told.put({ kind: 'fault', cause }),
    );
  try {
    for (const walk of walks) ask(walk);
    for (let open = walks.length; open > 0; ) {
      const next = await told.take();
      if (next.kind === 'fault') throw next.cause;
      if (next.kind === 'end') open -= 1;
      else {
        yield next.value;
        ask(next.source);
      }
    }
  } finally {
    // Not waited for: who stops reading does so at once, and how a walk ends that nobody reads is of no concern.
    void Promise.allSettled(walks.map((walk) => walk.return?.()));
  }
}

/** What has come, in its order, for one who waits for it. */
class Inbox<T> {
  readonly #come: T[] = [];
  #wake: (() => void) | null = null;

  put(item: T): void {
    this.#come.push(item);
    this.#wake?.();
  }

  async take(): Promise<T> {
    for (;;) {
      const item = this.#come.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
