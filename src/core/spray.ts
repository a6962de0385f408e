import type { Opened } from './draft.ts';
import type { CredentialPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import { judgeScore, raiseScore } from './score.ts';
import type { NetworkRecord } from './state.ts';
import type { Token } from './subject.ts';
import { observeWatched } from './watch.ts';

/** §8.1 spray: one network tries many accounts. A second account in the window already costs K1 a score. */
export function observeSpray(
  ruling: Ruling,
  network: Opened<NetworkRecord>,
  account: Token,
  policy: CredentialPolicy,
): void {
  const { spray, watchMs } = policy.correlation;
  if (spray === null) return;
  const observation = observeWatched(network.holder.spray, account, network.now, spray, watchMs);
  network.holder.spray = observation.next;
  if (observation.added && observation.seen.length > 1) {
    raiseScore(network, policy.score.sprayedAccount, policy.score.decayMs.network, policy.ladder);
    judgeScore(ruling, network, policy.score);
  }
  if (observation.fired) ruling.escalate('spray', network, 2);
}
