import type { AnswerEnd, Awaitable } from './arrival.ts';

/**
 * Runs a handler whose call somebody follows. A handler that throws has ended its call too, with the status that servers
 * give it: `end` is told before the error goes on.
 */
export async function runOrEnd<T>(
  run: () => Awaitable<T>,
  end: (status: number) => Promise<void>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await end(500);
    throw error;
  }
}

/** How a call ended whose handler gave this status: nobody hears the answer where the client had gone before. */
export function endOf(status: number, isGone: boolean): AnswerEnd {
  return isGone ? { status: null, isWhole: false } : { status, isWhole: true };
}
