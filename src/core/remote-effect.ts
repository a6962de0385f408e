import type { Rule } from './decision.ts';
import { open, type RecordKind, write } from './draft.ts';
import { answer, type Step, silence } from './operation.ts';
import type { Policy } from './policy.ts';
import type { Key, StoredRecord } from './records.ts';
import { Ruling } from './ruling.ts';
import { type Holder, isHardBlocked } from './standing.ts';

/** A HARD block that a rule puts on a key of another group (engine contract §3). */
export interface RemoteBlock<R extends StoredRecord> {
  readonly rule: Rule;
  readonly kind: RecordKind<R>;
  readonly key: Key<R>;
  /** Whether the key is one of the request's own, so that the block is a reason. */
  readonly own: boolean;
}

/** Blocks the key, unless a HARD is running on it already, also one that this operation has just set. */
export function remoteBlockStep<R extends StoredRecord & Holder>(
  { rule, kind, key, own }: RemoteBlock<R>,
  t: number,
  policy: Policy,
): Step {
  const { recordMs } = policy.retention;
  return {
    keys: [key],
    run: (records) => {
      const opened = open(records, key, kind, t, recordMs);
      const { scope, holder, now } = opened;
      if (isHardBlocked(holder.standing, now)) return silence;
      const ruling = new Ruling(policy);
      ruling.escalate(rule, { scope, holder, now, own }, 2);
      const reasons = ruling.settle();
      write(records, opened, t, recordMs);
      return answer(reasons);
    },
  };
}
