import type { Scope } from '../core/decision.ts';
import type { Key, Records } from '../core/records.ts';
import type { Request } from '../core/request.ts';
import { readLive } from '../core/retention.ts';
import type { Holder } from '../core/standing.ts';
import type { AccountRecord, AgentRecord } from '../core/state.ts';
import { seenIn } from '../core/watch.ts';
import type { Window } from '../core/window.ts';
import type { Moment } from './explanation.ts';

/** Records are small, but all of them together remember more than anybody reads. */
const mostMoments = 100;

/**
 * What the subject's records remember, oldest first: when failures were noted, when blocks and rules came. The engine
 * keeps times, not requests, so this is as much of a story as there is.
 */
export function historyOf(
  records: Records,
  { policy, keys }: Request,
  agentKey: Key<AgentRecord>,
  t: number,
): Moment[] {
  const { recordMs } = policy.retention;
  const moments: Moment[] = [];
  const account = readLive(records, keys.account, t, recordMs);
  if (account !== undefined) addAccount(moments, account);
  const network = readLive(records, keys.network, t, recordMs);
  if (network !== undefined) addKey(moments, 'K1', network, seenIn(network.spray));
  const agent = readLive(records, agentKey, t, recordMs);
  if (agent !== undefined) addKey(moments, 'K2', agent, seenIn(agent.churn));
  const device = readLive(records, keys.device, t, recordMs);
  if (device !== undefined) addKey(moments, 'D', device, seenIn(device.dilution));
  const networkDevice = readLive(records, keys.networkDevice, t, recordMs);
  if (networkDevice !== undefined) addKey(moments, 'K3', networkDevice, []);
  const p48 = readLive(records, keys.p48, t, recordMs);
  if (p48 !== undefined) addKey(moments, 'P48', p48, p48.accounts);
  const p40 = readLive(records, keys.p40, t, recordMs);
  if (p40 !== undefined) addKey(moments, 'P40', p40, p40.accounts);
  return moments.sort((a, b) => a.at - b.at).slice(-mostMoments);
}

function addAccount(moments: Moment[], account: AccountRecord): void {
  const failures = new Set(account.budget.failures);
  if (account.missingAt !== null) failures.add(account.missingAt);
  for (const device of account.devices) {
    for (const at of device.failures) failures.add(at);
    addHard(moments, 'K5', device);
  }
  for (const at of failures) moments.push({ at, scope: 'K4', what: 'failure' });
  for (const at of account.softs) moments.push({ at, scope: 'K4', what: 'soft' });
  for (const at of account.rotations) moments.push({ at, scope: 'K4', what: 'rotation' });
  addHard(moments, 'K4', account);
}

function addKey(moments: Moment[], scope: Scope, holder: Holder, seen: Window): void {
  for (const { at } of seen) moments.push({ at, scope, what: 'sighting' });
  addHard(moments, scope, holder);
}

function addHard(moments: Moment[], scope: Scope, { standing }: Holder): void {
  if (standing.hardAt !== null) moments.push({ at: standing.hardAt, scope, what: 'hard' });
}
