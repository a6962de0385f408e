import { type Command, Option } from 'commander';
import { type LogFormatName, logFormatNames } from '../../abuse/log-formats/log-entry.ts';
import { Fault } from '../../core/fault.ts';

/** Options of commands that read logs, as given. */
export interface LogFlags {
  readonly format: 'events' | 'decisions' | LogFormatName;
  readonly year?: string;
  readonly timeZone?: string;
  readonly login?: readonly string[];
  readonly loginFails: string;
  readonly trustedProxy?: readonly string[];
}

export const logHelp = `
Formats:
  events     one JSON object a line, see the reference
  decisions  decision log of a service: what it decided on whom, by pseudonyms
  nginx      access log of nginx: common, combined, with or without the virtual host, whatever is appended
  apache     the same of Apache
  json       access log of JSON objects, with the field names of nginx, Caddy, Traefik, pino, Elastic or Google Cloud
  sshd       system log with lines of OpenSSH's server: syslog with or without years, RFC 5424, journald
  kratos     log of Ory Kratos, JSON or text
gzip and files of container runtimes (Docker, containerd, CRI-O) are recognised by themselves. Lines of a log that are not understood are counted and shown, never guessed.`;

export const defaultLoginFails = '400,401,403,422';

/** Adds the options that say what a file is. */
export function addLogOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <name>', 'what the file is')
        .choices(['events', 'decisions', ...logFormatNames])
        .default('events'),
    )
    .option(
      '--year <year>',
      'sshd: the year of the first line, where times have none; default: the newest possible',
    )
    .option(
      '--time-zone <zone>',
      'sshd, json, kratos: of times that name none: UTC, +02:00 or Europe/Berlin; default: UTC',
    )
    .option(
      '--login <route...>',
      'access logs: routes that are logins, such as "POST /login"; keyed by the user that the log names',
    )
    .option('--login-fails <statuses>', 'access logs: answers that mean a failed login', defaultLoginFails)
    .option('--trusted-proxy <cidr...>', 'json, kratos: proxies whose X-Forwarded-For counts');
}

/**
 * An option that is passed over in silence passes for one that counts: addresses of a proxy would be taken for those of clients.
 *
 * @throws Fault `INPUT_INVALID` when an option is given that says nothing about a file of this format
 */
export function refuseStrayOptions(flags: LogFlags): void {
  const { format, year, timeZone, login, loginFails, trustedProxy } = flags;
  const given: readonly (readonly [option: string, isGiven: boolean, formats: readonly string[]])[] = [
    ['--year', year !== undefined, ['sshd']],
    ['--time-zone', timeZone !== undefined, ['sshd', 'json', 'kratos']],
    ['--login', login !== undefined, ['nginx', 'apache', 'json']],
    ['--trusted-proxy', trustedProxy !== undefined, ['json', 'kratos']],
  ];
  for (const [option, isGiven, formats] of given) {
    if (isGiven && !formats.includes(format))
      throw new Fault('INPUT_INVALID', `${option} is for --format ${formats.join(', ')}, not for ${format}`);
  }
  if (login === undefined && loginFails !== defaultLoginFails)
    throw new Fault('INPUT_INVALID', '--login-fails is for routes that --login names, and there is none');
}
