import { stops } from './acquaintance.ts';
import { type Context, hardReason } from './context.ts';
import type { Reason } from './decision.ts';
import { draftOf, type Opened, openDraft, storeDraft } from './draft.ts';
import { listOf } from './list.ts';
import { noReasons } from './operation.ts';
import type { CapPolicy, Policy } from './policy.ts';
import { agentKind, networkDeviceKind, networkKind } from './record-kinds.ts';
import type { Key, Records } from './records.ts';
import type { Request } from './request.ts';
import type { Judged } from './ruling.ts';
import { isHardBlocked } from './standing.ts';
import type { AgentRecord, NetworkDeviceRecord, NetworkRecord } from './state.ts';
import { noteTime, timesWithin } from './times.ts';

/** The network group of a request (K1, K2, K3) opened for one operation. */
export interface NetworkDraft {
  readonly network: Opened<NetworkRecord>;
  readonly agent: Opened<AgentRecord>;
  /** Null when the device is missing or not admitted. */
  readonly device: Opened<NetworkDeviceRecord> | null;
}

/** Keys of the network group: K1, K2 as routed, and K3 if the device is admitted. */
export function networkGroupKeys({ keys }: Request, { agentKey, admitted }: Context): readonly Key[] {
  const { network, networkDevice } = keys;
  return admitted && networkDevice !== null
    ? listOf<Key>(network, agentKey, networkDevice)
    : listOf<Key>(network, agentKey);
}

export function openNetwork(records: Records, request: Request, context: Context): NetworkDraft {
  const { keys, policy } = request;
  const { t, agentKey, admitted } = context;
  const { recordMs } = policy.retention;
  const network = draftOf(records, keys.network, networkKind);
  const agent = draftOf(records, agentKey, agentKind);
  return {
    network: openDraft(network, network?.at, keys.network, networkKind, t, recordMs),
    agent: openDraft(agent, agent?.at, agentKey, agentKind, t, recordMs),
    device: admitted ? openDevice(records, keys.networkDevice, t, recordMs) : null,
  };
}

function openDevice(
  records: Records,
  key: Key<NetworkDeviceRecord> | null,
  t: number,
  keepMs: number,
): Opened<NetworkDeviceRecord> | null {
  if (key === null) return null;
  const device = draftOf(records, key, networkDeviceKind);
  return openDraft(device, device?.at, key, networkDeviceKind, t, keepMs);
}

/** Running HARD blocks of this group that stop the request. */
export function networkBlocks(draft: NetworkDraft, { policy }: Request, context: Context): readonly Reason[] {
  const { network, agent, device } = draft;
  if (!isBlocked(network) && !isBlocked(agent) && (device === null || !isBlocked(device))) return noReasons;
  const opened: readonly Judged[] = device ? [network, agent, device] : [network, agent];
  return opened
    .filter((judged) => isBlocked(judged) && stops(judged.scope, context, policy.ownerLane))
    .map(({ scope, holder }) => hardReason(scope, holder.standing));
}

const isBlocked = ({ holder, now }: Judged): boolean => isHardBlocked(holder.standing, now);

/**
 * Notes first sights, which admission counts (§6). A routed agent is no first sight. The newest `cap` of them say whether
 * there is room as well as all of them would, so no more are kept, however many were admitted at once.
 */
export function noteSights(
  { network, agent, device }: NetworkDraft,
  { agentRouted }: Context,
  { caps }: Policy,
): void {
  const { holder, now } = network;
  if (device?.made) holder.devicesSeenAt = noted(holder.devicesSeenAt, now, caps.networkDevices, caps);
  if (agent.made && !agentRouted)
    holder.agentsSeenAt = noted(holder.agentsSeenAt, now, caps.networkAgents, caps);
}

function noted(times: readonly number[], now: number, cap: number, { networkSightsMs }: CapPolicy) {
  return noteTime(timesWithin(times, now, networkSightsMs), now, cap);
}

/** A group whose rules ran has written all its records of the request (§1). */
export function writeNetwork(records: Records, draft: NetworkDraft, { policy }: Request, t: number): void {
  const { recordMs } = policy.retention;
  const { network, agent, device } = draft;
  network.holder.at = network.now;
  storeDraft(records, network, network.holder.standing, t, recordMs);
  agent.holder.at = agent.now;
  storeDraft(records, agent, agent.holder.standing, t, recordMs);
  if (device === null) return;
  device.holder.at = device.now;
  storeDraft(records, device, device.holder.standing, t, recordMs);
}
