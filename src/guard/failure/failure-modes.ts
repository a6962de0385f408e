import type { Decision, Mode } from '../../core/decision.ts';
import { Fault, invariant } from '../../core/fault.ts';
import type { Policy } from '../../core/policy.ts';
import type { Request } from '../../core/request.ts';
import type { Call } from '../engine.ts';
import { type ModeParts, PolicyMode, type PolicyStatus } from './policy-mode.ts';

/** The failure modes of a guard: one per policy, each on its own. */
export class FailureModes {
  readonly #byPolicy: ReadonlyMap<string, PolicyMode>;
  /** That of the latest call: to look the policy up takes longer than to see that it is the same again. */
  #latest: PolicyMode | undefined;
  #latestPolicy = '';
  #isClosed = false;

  /** @param before the modes that these take the place of */
  constructor(policies: readonly Policy[], parts: ModeParts, before?: FailureModes) {
    this.#byPolicy = new Map(
      policies.map((policy) => {
        const modeBefore = before === undefined ? undefined : before.#byPolicy.get(policy.name);
        return [policy.name, new PolicyMode(policy, parts, modeBefore)];
      }),
    );
  }

  /** Decides an operation, on the store or without it. Rejects with what is not a failure of the store. */
  run(call: Call, at?: number): Decision | Promise<Decision> {
    if (this.#isClosed) {
      return Promise.reject(new Fault('STORE_CLOSED', 'The guard was used after it was closed.'));
    }
    return this.#of(call.policy.name).run(call, at);
  }

  /** See {@link PolicyMode.withdraw}. */
  withdraw(request: Request): void {
    this.#of(request.policy.name).withdraw(request);
  }

  /** The present mode of one policy on this node. */
  modeOf(policy: string): Mode {
    return this.#of(policy).status().mode;
  }

  status(): readonly PolicyStatus[] {
    return [...this.#byPolicy.values()].map((mode) => mode.status());
  }

  close(): void {
    this.#isClosed = true;
    for (const mode of this.#byPolicy.values()) mode.stop();
  }

  #of(policy: string): PolicyMode {
    if (this.#latest !== undefined && policy === this.#latestPolicy) return this.#latest;
    const mode = this.#byPolicy.get(policy);
    invariant(mode !== undefined, 'A call names a policy that the guard does not have.');
    this.#latest = mode;
    this.#latestPolicy = policy;
    return mode;
  }
}
