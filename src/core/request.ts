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
  /** All of them, as the one view of an operation shows them. */
  readonly viewed: readonly Key[];
}

/** A subject before a policy: what every operation starts from. */
export interface Request<P extends Policy = Policy> {
  readonly policy: P;
  readonly keyspace: Keyspace;
  readonly subject: Subject;
  readonly keys: RequestKeys;
}

/**
 * The request of a subject. An account is mostly asked for from the same place, and its keys cost more than most rules
 * to compose; so the latest request is kept with the account's token, or the network's, as long as that is remembered.
 */
export function openRequest<P extends Policy>(policy: P, keyspace: Keyspace, subject: Subject): Request<P> {
  const keeper = subject.account ?? subject.network;
  const latest = keeper.latest as Request<P> | undefined;
  if (latest !== undefined && latest.keyspace === keyspace && latest.policy === policy) {
    if (isSameSubject(latest.subject, subject)) return latest;
  }
  const request = { policy, keyspace, subject, keys: keysOf(policy, keyspace, subject) };
  keeper.latest = request;
  return request;
}

/** Macro prefixes follow from the network, and `otherAgent` is one and the same. */
function isSameSubject(a: Subject, b: Subject): boolean {
  return (
    a.account === b.account &&
    a.network === b.network &&
    a.agent === b.agent &&
    a.device?.token === b.device?.token &&
    a.device?.confidence === b.device?.confidence &&
    a.otherAgent === b.otherAgent
  );
}

function keysOf(policy: Policy, keyspace: Keyspace, subject: Subject): RequestKeys {
  const { account, network, agent, otherAgent, device, macros } = subject;
  const agentKey = keyspace.agent(network, agent);
  const keys = {
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
  const viewed = [...new Set<Key | null>(Object.values(keys))].filter((key) => key !== null);
  return { ...keys, viewed };
}
