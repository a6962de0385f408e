import type { CorrelationPolicy } from './policy.ts';
import type { Judged, Ruling } from './ruling.ts';
import type { AgentRecord } from './state.ts';
import type { Token } from './subject.ts';
import { observeWatched } from './watch.ts';

/** §8.4 churn: one agent at one network keeps changing its device. The first device is no change. */
export function observeChurn(
  ruling: Ruling,
  record: AgentRecord,
  key: Judged,
  device: Token,
  { churn, watchMs }: CorrelationPolicy,
): void {
  const observation = observeWatched(record.churn, device, key.now, churn, watchMs);
  record.churn = observation.next;
  if (observation.fired) ruling.escalate('churn', key, 2);
}
