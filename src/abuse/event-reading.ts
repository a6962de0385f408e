import type { Secrets } from '../identity/component-hasher.ts';
import type { Secret } from '../identity/hmac.ts';
import { createFactReader, type FactReader, type Facts } from './facts.ts';
import { createMarks, type Marks } from './marks.ts';

/** How events are read, and what they show is hashed. */
export interface EventReading {
  readonly facts: FactReader;
  readonly marks: Marks;
}

/** @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes. */
export function createEventReading(secrets: Secrets): EventReading {
  return { facts: createFactReader(), marks: createMarks(secrets) };
}

/**
 * For two runs over the same record that have the same secret: what one of them has found out about an event, the other need
 * not find out again. Whoever hands in the same object twice must not have changed it.
 *
 * @throws Fault `CONFIG_INVALID` when the secret has fewer than 16 bytes.
 */
export function createSharedReading(secret: Secret): EventReading {
  const { facts, marks } = createEventReading({ secret });
  let last: Facts | null = null;
  return {
    marks,
    facts: {
      read(event) {
        if (last === null || last.event !== event) last = facts.read(event);
        return last;
      },
    },
  };
}
