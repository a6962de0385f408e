import type { Opened } from './draft.ts';
import type { CorrelationPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import type { AgentRecord } from './state.ts';
import type { Token } from './subject.ts';
import { clearWatched, observeWatched } from './watch.ts';

/** §8.4 churn: one agent at one network keeps changing its device. The first device is no change. */
export function observeChurn(
  ruling: Ruling,
  agent: Opened<AgentRecord>,
  device: Token,
  { churn, watchMs }: CorrelationPolicy,
): void {
  const watched = agent.holder.churn;
  if (observeWatched(watched, device, agent.now, churn, watchMs) !== 'fired') return;
  clearWatched(watched);
  ruling.escalate('churn', agent, 2);
}
