import { MINUTE_MS } from '../core/duration.ts';
import { type ListenerFault, tell } from './tell.ts';

/** Of the listeners of one event, one warning in this time: a listener fails as often as callers like. */
const LEAST_PAUSE_MS = MINUTE_MS;

interface LastWarning {
  readonly at: number;
  /** Faults that no warning told of since. */
  untold: number;
}

/** Makes of listeners' faults warnings of the process, of each event at most one a minute. */
export class ListenerWarnings {
  readonly #now: () => number;
  readonly #last = new Map<string, LastWarning>();

  /** @param now milliseconds that never run backwards */
  constructor(now: () => number) {
    this.#now = now;
  }

  readonly warn = ({ event, error }: ListenerFault): void => {
    const at = this.#now();
    const last = this.#last.get(event);
    if (last !== undefined && at - last.at < LEAST_PAUSE_MS) {
      last.untold += 1;
      return;
    }
    this.#last.set(event, { at, untold: 0 });
    const detail = error instanceof Error ? error.stack : undefined;
    process.emitWarning(messageOf(event, last?.untold ?? 0), {
      type: 'PortcullisWarning',
      code: 'PORTCULLIS_LISTENER',
      ...(detail === undefined ? {} : { detail }),
    });
  };
}

function messageOf(event: string, untold: number): string {
  const message = `A listener of "${event}" has thrown.`;
  return untold === 0 ? message : `${message} So it has ${untold} times since the last warning.`;
}

/** The warnings of this process. */
export const warnOfListener = new ListenerWarnings(() => performance.now()).warn;

/** A listener that may be called from anywhere: what it throws, at once or by a promise, is a warning of the process. */
export function harmless<E>(name: string, listener: (event: E) => unknown): (event: E) => void {
  return (event) => tell(listener, event, name, warnOfListener);
}
