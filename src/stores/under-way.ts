/** The calls that are not answered yet: a store ends after them. */
export class UnderWay {
  readonly #answers = new Set<Promise<unknown>>();

  /** Settles as `answer` does. */
  async track<T>(answer: Promise<T>): Promise<T> {
    this.#answers.add(answer);
    try {
      return await answer;
    } finally {
      this.#answers.delete(answer);
    }
  }

  /** Resolves when every call tracked until now is answered, well or not. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#answers);
  }
}
