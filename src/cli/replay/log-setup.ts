import type { ClientOfPeer } from '../../abuse/log-formats/json-access-log.ts';
import type { LogFormat, LogFormatName, LoginEntry } from '../../abuse/log-formats/log-entry.ts';
import { openLogFormat } from '../../abuse/log-formats/log-format.ts';
import { timeZoneOf } from '../../abuse/log-formats/time-zone.ts';
import { createClientAddress, unknownAddress } from '../../adapters/client-address.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import type { Policy } from '../../core/policy.ts';
import { addressOf } from '../../identity/address-ranges.ts';
import type { Input } from './input.ts';
import type { LogFlags } from './log-options.ts';
import { LoginRoutes } from './login-routes.ts';

/** The reader of a log. @throws Fault `INPUT_INVALID` when an option is not what it must be. */
export function openLog(name: LogFormatName, flags: LogFlags, input: Pick<Input, 'writtenAt'>): LogFormat {
  const { trustedProxy = [] } = flags;
  return openLogFormat(name, {
    year: flags.year === undefined ? undefined : yearOf(flags.year),
    zone: timeZoneOf(flags.timeZone ?? 'UTC'),
    writtenAt: input.writtenAt,
    clientOf: trustedProxy.length === 0 ? undefined : clientBehind(trustedProxy),
  });
}

/** What nginx writes for a peer that has come through a Unix socket. */
const unixPeer = 'unix:';

/** A peer that is no address stays what it is, and its line is not understood: who it was is not guessed. */
function clientBehind(trustedProxies: readonly string[]): ClientOfPeer {
  const clientOf = createClientAddress({ trustedProxies });
  const trustsUnix = trustedProxies.includes('unix');
  return (peer, header) => {
    if (addressOf(peer) !== null) return clientOf(peer, header);
    if (peer !== unixPeer || !trustsUnix) return peer;
    const client = clientOf(undefined, header);
    return client === unknownAddress ? peer : client;
  };
}

/**
 * Logs name actions that a policy may not know; every line would then pass for one that was not understood.
 *
 * @throws Fault `INPUT_INVALID` when the file tells of an action that no policy over credentials is bound to
 */
export function assertActionsBound(policies: readonly Policy[], { format, login = [] }: LogFlags): void {
  for (const action of actionsOf(format, login.length > 0)) {
    const isBound = policies.some(({ kind, actions }) => kind === 'credential' && actions.includes(action));
    if (isBound) continue;
    throw new Fault(
      'INPUT_INVALID',
      `--format ${format} tells of ${action}, and no policy over credentials is bound to it: add it to the actions of one`,
    );
  }
}

function actionsOf(format: LogFlags['format'], hasLogins: boolean): readonly LoginEntry['action'][] {
  if (format === 'kratos') return ['auth.login', 'auth.otp'];
  return format === 'sshd' || hasLogins ? ['auth.login'] : [];
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
