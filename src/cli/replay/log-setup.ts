import type { LogFormat, LogFormatName } from '../../abuse/log-formats/log-entry.ts';
import { openLogFormat } from '../../abuse/log-formats/log-format.ts';
import { timeZoneOf } from '../../abuse/log-formats/time-zone.ts';
import { createClientAddress } from '../../adapters/client-address.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import type { Input } from './input.ts';
import type { LogFlags } from './log-options.ts';
import { LoginRoutes } from './login-routes.ts';

/** The reader of a log. @throws Fault `INPUT_INVALID` when an option is not what it must be. */
export function openLog(name: LogFormatName, flags: LogFlags, input: Pick<Input, 'writtenAt'>): LogFormat {
  const { trustedProxy = [] } = flags;
  return openLogFormat(name, {
    year: flags.year === undefined ? undefined : yearOf(flags.year),
    zone: timeZoneOf(flags.timeZone),
    writtenAt: input.writtenAt,
    clientOf: trustedProxy.length === 0 ? undefined : createClientAddress({ trustedProxies: trustedProxy }),
  });
}

/** The routes that are logins; null when none is named. */
export function loginRoutesOf({ login = [], loginFails }: LogFlags): LoginRoutes | null {
  return login.length === 0 ? null : new LoginRoutes(login, loginFails);
}

function yearOf(text: string): number {
  const year = Number(text);
  if (/^\d{4}$/.test(text) && year >= 1970) return year;
  throw new Fault('INPUT_INVALID', `--year must be a year from 1970 to 9999, got ${shapeOf(text)}`);
}
