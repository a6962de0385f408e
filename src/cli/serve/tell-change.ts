import type { ConfigChange } from '../../config/config-change.ts';
import type { Log } from '../../telemetry/log.ts';

/** Tells an operator what a configuration that was read again has changed, and what it could not. */
export function tellChange({ config, live, needsRestart }: ConfigChange, log: Log): void {
  if (live.length > 0 || needsRestart.length === 0)
    log.info({ fields: live }, 'the configuration was taken over');
  if (needsRestart.length > 0) log.warn({ fields: needsRestart }, 'a restart is needed to take these over');
  // A file that was cut short at the end of a line says so too, and is a sound one.
  if (live.includes('tokens') && config.tokens.length === 0)
    log.warn({}, 'there are no tokens any more: everybody on this machine is let in, and nobody else');
}
