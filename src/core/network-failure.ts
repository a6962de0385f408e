import { observeChurn } from './churn.ts';
import type { Context } from './context.ts';
import { networkBlocks, networkGroupKeys, noteSights, openNetwork, writeNetwork } from './network-draft.ts';
import { type Answer, answer, type Step } from './operation.ts';
import type { CredentialPolicy } from './policy.ts';
import type { Key, Records } from './records.ts';
import type { Request } from './request.ts';
import { Ruling } from './ruling.ts';
import { judgeScore, raiseScore } from './score.ts';
import { observeSpray } from './spray.ts';

/** §4.2 fail, network group: K1, K2 and the K3 marker, for a device that is not known. */
export class NetworkFailureStep implements Step {
  readonly #request: Request<CredentialPolicy>;
  readonly #context: Context;
  #keys: readonly Key[] | null = null;

  constructor(request: Request<CredentialPolicy>, context: Context) {
    this.#request = request;
    this.#context = context;
  }

  get keys(): readonly Key[] {
    this.#keys ??= networkGroupKeys(this.#request, this.#context);
    return this.#keys;
  }

  run(records: Records): Answer {
    const request = this.#request;
    const context = this.#context;
    const { policy, subject } = request;
    const draft = openNetwork(records, request, context);
    const blocked = networkBlocks(draft, request, context);
    if (blocked.length > 0) return answer(blocked);
    const { network, agent } = draft;
    const ruling = new Ruling(policy);
    noteSights(draft, context, policy);
    if (subject.account) observeSpray(ruling, network, subject.account, policy);
    if (subject.device === null) {
      raiseScore(agent, policy.score.missingDevice, policy.score.decayMs.network, policy.ladder);
      judgeScore(ruling, agent, policy.score);
    } else {
      observeChurn(ruling, agent, subject.device.token, policy.correlation);
    }
    const reasons = ruling.settle();
    writeNetwork(records, draft, request, context.t);
    return answer(reasons);
  }
}
