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
  readonly networkDevice: Key<NetworkDeviceRecord> | null;
  readonly device: Key<DeviceRecord> | null;
  readonly p48: Key<PrefixRecord> | null;
  readonly p40: Key<PrefixRecord> | null;
  /** All that nearly every operation needs, as its one view shows them. */
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
    if (latest.subject === subject || isSameSubject(latest.subject, subject)) return latest;
  }
  const request = { policy, keyspace, subject, keys: keysOf(policy, keyspace, subject) };
  keeper.latest = request;
  return request;
}

/** The K2 that agents over the cap share at this network (§6). Few requests ever need it, so that it is made for those. */
export function otherAgentKey({ keyspace, subject, keys }: Request): Key<AgentRecord> {
  const { network, agent, otherAgent } = subject;
  return agent.hash === otherAgent.hash ? keys.agent : keyspace.agent(network, otherAgent);
}

/** All that an operation may have to see. */
export function allKeys(request: Request): readonly Key[] {
  const { agent, viewed } = request.keys;
  const other = otherAgentKey(request);
  return other === agent ? viewed : [...viewed, other];
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
  const { macros } = subject;
  const account = subject.account && policy.kind === 'credential' ? keyspace.account(subject.account) : null;
  const book = subject.account && subject.device ? keyspace.book(subject.account) : null;
  const network = keyspace.network(subject.network);
  const agent = keyspace.agent(subject.network, subject.agent);
  const networkDevice = subject.device && keyspace.networkDevice(subject.network, subject.device.token);
  const device = subject.device && keyspace.device(subject.device.token);
  const p48 = macros && keyspace.macro('P48', macros.p48);
  const p40 = macros && keyspace.macro('P40', macros.p40);
  const single = { account, book, network, agent, networkDevice, device, p48, p40 };
  return {
    account,
    book,
    network,
    agent,
    networkDevice,
    device,
    p48,
    p40,
    viewed: viewedOf(single),
  };
}

type SingleKeys = Omit<RequestKeys, 'viewed'>;

function viewedOf(single: SingleKeys): readonly Key[] {
  const { network, agent, account, book, networkDevice, device, p48, p40 } = single;
  if (account && book && networkDevice && device && p48 === null) {
    // Nearly every login: a list that needs no more room than this.
    return [network, agent, account, book, networkDevice, device];
  }
  const viewed: Key[] = [network, agent];
  for (const key of [account, book, networkDevice, device, p48, p40]) if (key !== null) viewed.push(key);
  return viewed;
}
