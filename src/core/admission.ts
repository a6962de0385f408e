import type { CapPolicy } from './policy.ts';
import type { Key, Records } from './records.ts';
import { otherAgentKey, type Request } from './request.ts';
import { ifLive, readLive } from './retention.ts';
import type { AgentRecord, NetworkRecord } from './state.ts';
import { countWithin } from './times.ts';

/** Admission per network and the routing of agents over the cap (engine contract §6). */

/** Whether the network may show one more new device. */
export function hasRoomForDevice(network: NetworkRecord | undefined, t: number, caps: CapPolicy): boolean {
  return network === undefined || !isFull(network.devicesSeenAt, caps.networkDevices, network.at, t, caps);
}

/** Whether `cap` first sights lie within the window. */
function isFull(times: readonly number[], cap: number, at: number, t: number, caps: CapPolicy): boolean {
  if (times.length < cap) return false;
  return countWithin(times, Math.max(t, at), caps.networkSightsMs) >= cap;
}

/** The K2 of a request. */
export interface RoutedAgent {
  readonly key: Key<AgentRecord>;
  readonly routed: boolean;
  readonly record: AgentRecord | undefined;
}

/**
 * An agent whose record exists is never routed; one over the cap shares the K2 of `other/0`, whose record is known only to a
 * wide look.
 */
export function routeAgent(
  records: Records,
  request: Request,
  network: NetworkRecord | undefined,
  t: number,
  isWide: boolean,
): RoutedAgent {
  const { keys, policy } = request;
  const { caps, retention } = policy;
  const found = records.get(keys.agent);
  const record = ifLive(found, found?.at, t, retention.recordMs);
  const full = network !== undefined && isFull(network.agentsSeenAt, caps.networkAgents, network.at, t, caps);
  if (record !== undefined || !full) return { key: keys.agent, routed: false, record };
  const key = otherAgentKey(request);
  return { key, routed: true, record: isWide ? readLive(records, key, t, retention.recordMs) : undefined };
}
