import type {
  Admission,
  Admitted,
  CallOptions,
  CapEvent,
  Denied,
} from '../../../src/concurrency/admission.ts';
import type { CapOptions } from '../../../src/concurrency/cap-options.ts';
import { createCap } from '../../../src/concurrency/slot-cap.ts';
import { settled, VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** A cap of one slot, unless told otherwise, on a virtual clock, with its events, and calls that can be looked at before they are decided. */
export function bench(options: Partial<CapOptions> = {}) {
  const clock = new VirtualClock(1_000);
  const events: CapEvent[] = [];
  const cap = createCap({ limit: 1, clock, onEvent: (event) => events.push(event), ...options });
  const ask = async (call?: CallOptions) => {
    const asked: { decision: Admission | null } = { decision: null };
    void cap.admit(call).then((decision) => {
      asked.decision = decision;
    });
    await settled();
    return asked;
  };
  return { cap, clock, events, ask };
}

export function admitted(asked: { decision: Admission | null }): Admitted {
  if (asked.decision?.admitted !== true) throw new TypeError('The call was not let in.');
  return asked.decision;
}

export function denied(asked: { decision: Admission | null }): Denied {
  if (asked.decision?.admitted !== false) throw new TypeError('The call was not denied.');
  return asked.decision;
}
