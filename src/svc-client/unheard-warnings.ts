import { WarningPace } from '../listeners/warning-pace.ts';
import type { SvcEmitter, SvcEvents } from './events.ts';

/**
 * Makes warnings of the process of what a host has to hear of and has no listener for: of each kind at most one a minute,
 * since whoever calls decides how often it happens.
 */
export class UnheardWarnings {
  readonly #pace: WarningPace;

  /** @param now milliseconds that never run backwards */
  constructor(now: () => number) {
    this.#pace = new WarningPace(now);
  }

  /** Tells the listeners of a loop, or warns where there are none. */
  loop(events: SvcEmitter, event: SvcEvents['security']): void {
    events.emit('security', event);
    if (events.hears('security')) return;
    const { requestId, hops } = event;
    const what = `SECURITY: request ${requestId} went round in a loop, ${hops.join(' > ')}.`;
    this.#warn('PORTCULLIS_LOOP', 'security', what);
  }

  /** Tells the listeners of a dropped passport, or warns where there are none. */
  passport(events: SvcEmitter, event: SvcEvents['passport-dropped']): void {
    events.emit('passport-dropped', event);
    if (events.hears('passport-dropped')) return;
    this.#warn('PORTCULLIS_PASSPORT_DROPPED', 'passport-dropped', `A passport was dropped: ${event.flaw}.`);
  }

  #warn(code: string, name: 'security' | 'passport-dropped', what: string): void {
    const untold = this.#pace.take(code);
    if (untold === null) return;
    const more = untold === 0 ? '' : ` So it was ${untold} times since the last warning.`;
    process.emitWarning(`${what}${more} Nobody listens to "${name}".`, { type: 'PortcullisWarning', code });
  }
}

/** Those of this process. */
export const unheard = new UnheardWarnings(() => performance.now());
