import { stops } from './acquaintance.ts';
import { type Context, hardReason } from './context.ts';
import type { Reason } from './decision.ts';
import { type Opened, open } from './draft.ts';
import type { Policy } from './policy.ts';
import { agentKind, networkDeviceKind, networkKind } from './record-kinds.ts';
import type { Key, Records } from './records.ts';
import type { Request } from './request.ts';
import { write } from './retention.ts';
import type { Judged } from './ruling.ts';
import { isHardBlocked } from './standing.ts';
import type { AgentRecord, NetworkDeviceRecord, NetworkRecord } from './state.ts';
import { appended, timesWithin } from './times.ts';

/** The network group of a request (K1, K2, K3) opened for one operation. */
export interface NetworkDraft {
  readonly network: Opened<NetworkRecord>;
  readonly agent: Opened<AgentRecord>;
  /** Null when the device is missing or not admitted. */
  readonly device: Opened<NetworkDeviceRecord> | null;
}

/** Keys of the network group: K1, K2 as routed, and K3 if the device is admitted. */
export function networkGroupKeys({ keys }: Request, { agentKey, admitted }: Context): Key[] {
  const { network, networkDevice } = keys;
  return admitted && networkDevice !== null ? [network, agentKey, networkDevice] : [network, agentKey];
}

export function openNetwork(records: Records, request: Request, context: Context): NetworkDraft {
  const { keys, policy } = request;
  const { t, agentKey, admitted } = context;
  const { recordMs } = policy.retention;
  return {
    network: open(records, keys.network, networkKind, t, recordMs),
    agent: open(records, agentKey, agentKind, t, recordMs),
    device:
      admitted && keys.networkDevice !== null
        ? open(records, keys.networkDevice, networkDeviceKind, t, recordMs)
        : null,
  };
}

/** Running HARD blocks of this group that stop the request. */
export function networkBlocks(draft: NetworkDraft, { policy }: Request, context: Context): readonly Reason[] {
  const { network, agent, device } = draft;
  const opened = device ? [network.judged, agent.judged, device.judged] : [network.judged, agent.judged];
  if (!opened.some(isBlocked)) return noReasons;
  return opened
    .filter((judged) => isBlocked(judged) && stops(judged.scope, context, policy.ownerLane))
    .map(({ scope, holder }) => hardReason(scope, holder.standing));
}

const isBlocked = ({ holder, now }: Judged): boolean => isHardBlocked(holder.standing, now);
const noReasons: readonly Reason[] = [];

/**
 * Notes first sights, which admission counts (§6). A routed agent is no first sight. The newest `cap` of them say whether
 * there is room as well as all of them would, so no more are kept, however many were admitted at once.
 */
export function noteSights(
  { network, agent, device }: NetworkDraft,
  { agentRouted }: Context,
  { caps }: Policy,
): void {
  const { record, judged } = network;
  const noted = (times: readonly number[], cap: number) =>
    appended(timesWithin(times, judged.now, caps.networkSightsMs), judged.now, cap);
  if (device?.made) record.devicesSeenAt = noted(record.devicesSeenAt, caps.networkDevices);
  if (agent.made && !agentRouted) record.agentsSeenAt = noted(record.agentsSeenAt, caps.networkAgents);
}

/** A group whose rules ran has written all its records of the request (§1). */
export function writeNetwork(records: Records, draft: NetworkDraft, { policy }: Request, t: number): void {
  const { recordMs } = policy.retention;
  write(records, draft.network.key, draft.network.record, t, recordMs);
  write(records, draft.agent.key, draft.agent.record, t, recordMs);
  if (draft.device) write(records, draft.device.key, draft.device.record, t, recordMs);
}
