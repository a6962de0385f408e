import { stops } from './acquaintance.ts';
import { type Context, hardReason } from './context.ts';
import { draftOf, openDraft, storeDraft } from './draft.ts';
import { listOf } from './list.ts';
import { type Answer, answer, noReasons, type Step } from './operation.ts';
import type { CorrelationPolicy, CredentialPolicy } from './policy.ts';
import { agentKind, deviceKind } from './record-kinds.ts';
import type { Draft, Key, Records } from './records.ts';
import { remoteBlockStep } from './remote-effect.ts';
import type { Request } from './request.ts';
import { Ruling } from './ruling.ts';
import { isHardBlocked } from './standing.ts';
import type { DeviceRecord } from './state.ts';
import type { ShownDevice } from './subject.ts';
import { clearWatched, observeWatched } from './watch.ts';

/**
 * §8.3 dilution: one device at many networks. A passive fingerprint is shared by many people, so it never blocks the
 * device, only the agent at this network; a better one must confirm it in a second window.
 */
export class DilutionStep implements Step {
  readonly #key: Key<DeviceRecord>;
  readonly #device: ShownDevice;
  readonly #request: Request<CredentialPolicy>;
  readonly #context: Context;
  #keys: readonly Key[] | null = null;

  constructor(
    key: Key<DeviceRecord>,
    device: ShownDevice,
    request: Request<CredentialPolicy>,
    context: Context,
  ) {
    this.#key = key;
    this.#device = device;
    this.#request = request;
    this.#context = context;
  }

  get keys(): readonly Key[] {
    this.#keys ??= listOf<Key>(this.#key);
    return this.#keys;
  }

  run(records: Records): Answer {
    const { policy, subject } = this.#request;
    const context = this.#context;
    const { recordMs } = policy.retention;
    const draft = draftOf(records, this.#key, deviceKind);
    const opened = openDraft(draft, draft?.at, this.#key, deviceKind, context.t, recordMs);
    const { holder: record, now } = opened;
    if (isHardBlocked(record.standing, now) && stops('D', context, policy.ownerLane)) {
      return answer([hardReason('D', record.standing)]);
    }
    const { dilution, watchMs } = policy.correlation;
    const ruling = new Ruling(policy);
    const fired = observeWatched(record.dilution, subject.network, now, dilution, watchMs) === 'fired';
    if (fired) clearWatched(record.dilution);
    const passive = this.#device.confidence === 'LOW';
    if (fired && !passive && confirms(record, now, dilution)) ruling.escalate('dilution', opened, 2);
    const reasons = ruling.settle();
    record.at = now;
    storeDraft(records, opened, record.standing, context.t, recordMs);
    return fired && passive
      ? { reasons: noReasons, effects: [agentBlock(context, policy)] }
      : answer(reasons);
  }
}

/** Whether this firing confirms an earlier one; else it may become the first of a new pair. */
function confirms(record: Draft<DeviceRecord>, now: number, rule: CorrelationPolicy['dilution']): boolean {
  const first = record.dilutedAt;
  if (first === null || now >= first + rule.confirmUntilMs) {
    record.dilutedAt = now;
    return false;
  }
  if (now < first + rule.confirmFromMs) return false;
  record.dilutedAt = null;
  return true;
}

const agentBlock = ({ agentKey, t }: Context, policy: CredentialPolicy): Step =>
  remoteBlockStep({ rule: 'dilution', kind: agentKind, key: agentKey, own: true }, t, policy);
