import type { CapPolicy } from './policy.ts';
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

/** Whether the request's agent shares the K2 of `other/0`. One whose record exists never does. */
export function isRouted(
  agent: AgentRecord | undefined,
  network: NetworkRecord | undefined,
  t: number,
  caps: CapPolicy,
): boolean {
  if (agent !== undefined || network === undefined) return false;
  return isFull(network.agentsSeenAt, caps.networkAgents, network.at, t, caps);
}
