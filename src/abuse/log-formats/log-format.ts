import { AccessLog } from './access-log.ts';
import { ContainerLog } from './container-log.ts';
import { type ClientOfPeer, JsonAccessLog } from './json-access-log.ts';
import { KratosLog } from './kratos-log.ts';
import type { LogFormat, LogFormatName } from './log-entry.ts';
import { SshdLog } from './sshd-log.ts';
import { type TimeZone, utc } from './time-zone.ts';
import { YearFinder } from './year-finder.ts';

/** What a log leaves out. */
export interface LogFormatOptions {
  /** The year of the first line, where times have none. Default: the newest that does not put it after `writtenAt`. */
  readonly year?: number | undefined;
  /** Of times that name none. Default UTC. */
  readonly zone?: TimeZone | undefined;
  /** When the log was written last, in ms since 1970. */
  readonly writtenAt: number;
  /** Finds clients behind proxies, in formats that tell headers. Default: the peer is the client. */
  readonly clientOf?: ClientOfPeer | undefined;
}

/** A reader of one log, be it kept by a container runtime. */
export function openLogFormat(name: LogFormatName, options: LogFormatOptions): LogFormat {
  return new ContainerLog(formatOf(name, options));
}

function formatOf(name: LogFormatName, options: LogFormatOptions): LogFormat {
  const { year = null, zone = utc, writtenAt, clientOf = null } = options;
  if (name === 'nginx' || name === 'apache') return new AccessLog();
  if (name === 'json') return new JsonAccessLog(clientOf, zone);
  if (name === 'kratos') return new KratosLog(clientOf, zone);
  return new SshdLog({ zone, years: new YearFinder(year, writtenAt) });
}
