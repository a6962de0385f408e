import { randomBytes } from 'node:crypto';
import { defaultPolicies, type Policy } from '../core/policy.ts';
import { Engine } from '../guard/engine.ts';
import { createIdentifier } from '../identity/identifier.ts';
import { createMemoryStore, type MemoryStore } from '../stores/memory/index.ts';

/** Room for a large file, in bytes; a record has about 600. */
const REPLAY_ROOM = 1024 ** 3;

/** A file shows the same people again; hashing them anew costs more than deciding. */
export const REMEMBERED_COMPONENTS = 65_536;

/** An engine whose keys mean nothing outside of this run. */
export async function openEngine(policyFile?: string): Promise<Engine> {
  return new Engine({
    identifier: createIdentifier({ secret: randomBytes(32) }, REMEMBERED_COMPONENTS),
    policies: await policiesOf(policyFile),
    environment: 'replay',
  });
}

/**
 * A memory store whose time is handed in. Nothing is swept: a file's time may run backwards.
 *
 * @param stores how many such stores share the room
 * @param room in bytes
 */
export function openReplayStore(
  stores = 1,
  room = REPLAY_ROOM,
): { store: MemoryStore; setTime: (t: number) => void } {
  let time = 0;
  const maxRecords = Number.POSITIVE_INFINITY;
  const maxBytes = Math.floor(room / stores);
  const store = createMemoryStore({ maxRecords, maxBytes, clock: () => time, sweep: false });
  return {
    store,
    setTime: (t) => {
      time = t;
    },
  };
}

/** What reads and checks a policy file is loaded only when there is one: most runs start twice as fast without. */
export async function policiesOf(policyFile: string | undefined): Promise<readonly Policy[]> {
  if (policyFile === undefined) return defaultPolicies;
  const { readPolicyFile } = await import('../config/policy-file.ts');
  return readPolicyFile(policyFile);
}
