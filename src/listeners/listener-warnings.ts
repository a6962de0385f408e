import { type ListenerFault, tell } from './tell.ts';
import { WarningPace } from './warning-pace.ts';

/** Makes of listeners' faults warnings of the process, of each event at most one a minute. */
export class ListenerWarnings {
  readonly #pace: WarningPace;

  /** @param now milliseconds that never run backwards */
  constructor(now: () => number) {
    this.#pace = new WarningPace(now);
  }

  readonly warn = ({ event, error }: ListenerFault): void => {
    const untold = this.#pace.take(event);
    if (untold === null) return;
    const detail = error instanceof Error ? error.stack : undefined;
    process.emitWarning(messageOf(event, untold), {
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
