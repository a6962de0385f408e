import type { Keyspace } from './keys.ts';
import type { Policy } from './policy.ts';
import type { Key } from './records.ts';
import type {
  AccountRecord,
  AgentRecord,
  BookRecord,
  DeviceRecord,
  NetworkDeviceRecord,
  NetworkRecord,
  PrefixRecord,
} from './state.ts';
import type { Subject } from './subject.ts';

/** The records a request concerns; null where it has none. */
export interface RequestKeys {
  readonly account: Key<AccountRecord> | null;
  readonly book: Key<BookRecord> | null;
  readonly network: Key<NetworkRecord>;
  readonly agent: Key<AgentRecord>;
  readonly otherAgent: Key<AgentRecord>;
  readonly networkDevice: Key<NetworkDeviceRecord> | null;
  readonly device: Key<DeviceRecord> | null;
  readonly p48: Key<PrefixRecord> | null;
  readonly p40: Key<PrefixRecord> | null;
}

/** A subject before a policy: what every operation starts from. */
export interface Request<P extends Policy = Policy> {
  readonly policy: P;
  readonly keyspace: Keyspace;
  readonly subject: Subject;
  readonly keys: RequestKeys;
}

export function openRequest<P extends Policy>(policy: P, keyspace: Keyspace, subject: Subject): Request<P> {
  const { account, network, agent, otherAgent, device, macros } = subject;
  const agentKey = keyspace.agent(network, agent);
  const keys: RequestKeys = {
    account: account && policy.kind === 'credential' ? keyspace.account(account) : null,
    book: account && device ? keyspace.book(account) : null,
    network: keyspace.network(network),
    agent: agentKey,
    otherAgent: agent.hash === otherAgent.hash ? agentKey : keyspace.otherAgent(network, otherAgent),
    networkDevice: device && keyspace.networkDevice(network, device.token),
    device: device && keyspace.device(device.token),
    p48: macros && keyspace.macro('P48', macros.p48),
    p40: macros && keyspace.macro('P40', macros.p40),
  };
  return { policy, keyspace, subject, keys };
}

/** All keys that the one view of an operation shows. */
export function viewedKeys(keys: RequestKeys): readonly Key[] {
  const { network, agent, otherAgent, account, book, networkDevice, device, p48, p40 } = keys;
  if (account && book && networkDevice && device && otherAgent !== agent && p48 === null) {
    // Nearly every login: a list that needs no more room than this.
    return [network, agent, otherAgent, account, book, networkDevice, device];
  }
  const viewed: Key[] = otherAgent === agent ? [network, agent] : [network, agent, otherAgent];
  for (const key of [account, book, networkDevice, device, p48, p40]) if (key !== null) viewed.push(key);
  return viewed;
}
