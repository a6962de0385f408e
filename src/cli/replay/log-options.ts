import { type Command, Option } from 'commander';
import type { LogFormat } from '../../abuse/log-formats/log-entry.ts';
import { type LogFormatName, logFormatNames, openLogFormat } from '../../abuse/log-formats/log-format.ts';
import { timeZoneOf } from '../../abuse/log-formats/time-zone.ts';
import { createClientAddress } from '../../adapters/client-address.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import type { Input } from './input.ts';
import { LoginRoutes } from './login-routes.ts';

/** Options of commands that read logs, as given. */
export interface LogFlags {
  readonly format: 'events' | LogFormatName;
  readonly year?: string;
  readonly timeZone: string;
  readonly login?: readonly string[];
  readonly loginFails: string;
  readonly trustedProxy?: readonly string[];
}

export const logHelp = `
Formats:
  events   one JSON object a line, see the reference
  nginx    access log of nginx: common, combined, with or without the virtual host, whatever is appended
  apache   the same of Apache
  json     access log of JSON objects, with the field names of nginx, Caddy, Traefik, pino or the Elastic schema
  sshd     system log with lines of OpenSSH's server: syslog with or without years, RFC 5424, journald
  kratos   log of Ory Kratos, JSON or text
gzip is recognised by itself. Lines of a log that are not understood are counted and shown, never guessed.`;

/** Adds the options that say what a file is. */
export function addLogOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <name>', 'what the file is')
        .choices(['events', ...logFormatNames])
        .default('events'),
    )
    .option(
      '--year <year>',
      'sshd: the year of the first line, where times have none; default: the newest possible',
    )
    .option('--time-zone <zone>', 'of times that name none: UTC, +02:00 or Europe/Berlin', 'UTC')
    .option(
      '--login <route...>',
      'access logs: routes that are logins, such as "POST /login"; keyed by the user that the log names',
    )
    .option('--login-fails <statuses>', 'access logs: answers that mean a failed login', '400,401,403,422')
    .option('--trusted-proxy <cidr...>', 'json, kratos: proxies whose X-Forwarded-For counts');
}

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
