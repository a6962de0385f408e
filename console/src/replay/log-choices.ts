import type { LogFormatName } from '../../../src/abuse/log-formats/log-entry.ts';
import type { LogFlags } from '../../../src/cli/replay/log-options.ts';

/** What a log leaves out, as it was typed. Empty: the default of the command line. */
export interface LogChoices {
  /** Of the first line, where times have none. */
  readonly year: string;
  /** Of times that name none. */
  readonly timeZone: string;
  /** Routes of an access log that are logins, each on its line or behind a comma. */
  readonly login: string;
  /** Statuses that mean a failed login. */
  readonly loginFails: string;
  /** Proxies whose forwarding header counts. */
  readonly trustedProxy: string;
}

const DEFAULT_FAILS = '400,401,403,422';

/** As the command line takes them. */
export function logFlagsOf(format: LogFormatName, choices: LogChoices): LogFlags {
  const { year, timeZone, login, loginFails, trustedProxy } = choices;
  return {
    format,
    timeZone: timeZone.trim() || 'UTC',
    loginFails: loginFails.trim() || DEFAULT_FAILS,
    login: listOf(login),
    trustedProxy: listOf(trustedProxy),
    ...(year.trim() === '' ? {} : { year: year.trim() }),
  };
}

const listOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
