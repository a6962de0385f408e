import { Fault, shapeOf } from '../core/fault.ts';
import type { Awaitable } from './arrival.ts';

/**
 * What is handed to a framework as an error, of what an option of its host has thrown. A promise made by hand may well reject
 * with nothing, and Connect goes on to the next handler then, as if the call had been let in; of `route` and `router` Express
 * skips what it should have stopped at. All of these become a fault.
 */
export function errorOf(thrown: unknown): unknown {
  if (thrown && thrown !== 'route' && thrown !== 'router') return thrown;
  return new Fault('INPUT_INVALID', `an option must throw an error, got ${shapeOf(thrown)}`, {
    cause: thrown,
  });
}

/** The same for what asks the options, at once or later, where a framework takes nothing thrown for no error, as Koa does. */
export function orError<T>(ask: () => Awaitable<T>): Awaitable<T> {
  try {
    const asked = ask();
    return asked instanceof Promise ? asked.catch(rethrow) : asked;
  } catch (thrown) {
    return rethrow(thrown);
  }
}

function rethrow(thrown: unknown): never {
  throw errorOf(thrown);
}
