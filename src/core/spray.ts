import type { Opened } from './draft.ts';
import type { CredentialPolicy } from './policy.ts';
import type { Ruling } from './ruling.ts';
import { judgeScore, raiseScore } from './score.ts';
import type { NetworkRecord } from './state.ts';
import type { Token } from './subject.ts';
import { clearWatched, countSeen, observeWatched } from './watch.ts';

/** §8.1 spray: one network tries many accounts. A second account in the window already costs K1 a score. */
export function observeSpray(
  ruling: Ruling,
  network: Opened<NetworkRecord>,
  account: Token,
  policy: CredentialPolicy,
): void {
  const { spray, watchMs } = policy.correlation;
  if (spray === null) return;
  const watched = network.holder.spray;
  const sight = observeWatched(watched, account, network.now, spray, watchMs);
  if (sight !== 'refreshed' && countSeen(watched) > 1) {
    raiseScore(network, policy.score.sprayedAccount, policy.score.decayMs.network, policy.ladder);
    judgeScore(ruling, network, policy.score);
  }
  if (sight !== 'fired') return;
  clearWatched(watched);
  ruling.escalate('spray', network, 2);
}
