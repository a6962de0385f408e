import { stops } from './acquaintance.ts';
import { type Context, hardReason } from './context.ts';
import { open } from './draft.ts';
import { answer, noReasons, type Step } from './operation.ts';
import type { CorrelationPolicy, CredentialPolicy } from './policy.ts';
import { agentKind, deviceKind } from './record-kinds.ts';
import type { Key } from './records.ts';
import { remoteBlockStep } from './remote-effect.ts';
import type { Request } from './request.ts';
import { write } from './retention.ts';
import { Ruling } from './ruling.ts';
import { isHardBlocked } from './standing.ts';
import type { DeviceRecord } from './state.ts';
import type { ShownDevice } from './subject.ts';
import { observeWatched } from './watch.ts';

/**
 * §8.3 dilution: one device at many networks. A passive fingerprint is shared by many people, so it never blocks the
 * device, only the agent at this network; a better one must confirm it in a second window.
 */
export function dilutionStep(
  key: Key<DeviceRecord>,
  device: ShownDevice,
  request: Request<CredentialPolicy>,
  context: Context,
): Step {
  const { policy, subject } = request;
  const { t } = context;
  const { recordMs } = policy.retention;
  return {
    keys: [key],
    run: (records) => {
      const opened = open(records, key, deviceKind, t, recordMs);
      const { holder: record, now } = opened;
      if (isHardBlocked(record.standing, now) && stops('D', context, policy.ownerLane)) {
        return answer([hardReason('D', record.standing)]);
      }
      const { dilution, watchMs } = policy.correlation;
      const ruling = new Ruling(policy);
      const observation = observeWatched(record.dilution, subject.network, now, dilution, watchMs);
      record.dilution = observation.next;
      const passive = device.confidence === 'LOW';
      if (observation.fired && !passive && confirms(record, now, dilution))
        ruling.escalate('dilution', opened, 2);
      const reasons = ruling.settle();
      write(records, key, record, t, recordMs);
      return observation.fired && passive
        ? { reasons: noReasons, effects: [agentBlock(context, policy)] }
        : answer(reasons);
    },
  };
}

/** Whether this firing confirms an earlier one; else it may become the first of a new pair. */
function confirms(record: DeviceRecord, now: number, rule: CorrelationPolicy['dilution']): boolean {
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
