/** What a listener has thrown, or what the promise that it gave was rejected with. */
export interface ListenerFault {
  /** The event it was listening to. */
  readonly event: string;
  readonly error: unknown;
}

/**
 * Tells one listener of an event. Whatever becomes of it, the one who tells goes on: what it throws, at once or by a
 * promise, goes to `report`. A promise is not waited for, and nothing is made unless something went wrong.
 *
 * @param name of the event, for the report
 */
export function tell<E>(
  listener: (event: E) => unknown,
  event: E,
  name: string,
  report: (fault: ListenerFault) => void,
): void {
  try {
    const outcome = listener(event);
    if (outcome instanceof Promise) outcome.catch((error: unknown) => report({ event: name, error }));
  } catch (error) {
    report({ event: name, error });
  }
}
