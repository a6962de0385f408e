import type { Opened } from './draft.ts';
import type { CorrelationPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import type { AgentRecord } from './state.ts';
import type { Token } from './subject.ts';
import { observeWatched } from './watch.ts';

/** §8.4 churn: one agent at one network keeps changing its device. The first device is no change. */
export function observeChurn(
  ruling: Ruling,
  agent: Opened<AgentRecord>,
  device: Token,
  { churn, watchMs }: CorrelationPolicy,
): void {
  const observation = observeWatched(agent.holder.churn, device, agent.now, churn, watchMs);
  agent.holder.churn = observation.next;
  if (observation.fired) ruling.escalate('churn', agent, 2);
}
