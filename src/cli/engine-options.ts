import { randomBytes } from 'node:crypto';
import { readPolicyFile } from '../config/policy-file.ts';
import { defaultPolicies } from '../core/policy.ts';
import { Engine } from '../guard/engine.ts';
import { createIdentifier } from '../identity/identifier.ts';
import { createMemoryStore, type MemoryStore } from '../stores/memory/index.ts';

/** Room for a large file; a record has about 600 bytes. */
const REPLAY_BOUNDS = { maxRecords: 3_000_000, maxBytes: 1024 ** 3 };

/** A file shows the same people again; hashing them anew costs more than deciding. */
const REMEMBERED_COMPONENTS = 65_536;

/** An engine whose keys mean nothing outside of this run. */
export function openEngine(policyFile: string | undefined): Engine {
  return new Engine({
    identifier: createIdentifier({ secret: randomBytes(32) }, REMEMBERED_COMPONENTS),
    policies: policyFile === undefined ? defaultPolicies : readPolicyFile(policyFile),
    environment: 'replay',
  });
}

/** A memory store whose time is handed in. Nothing is swept: a file's time may run backwards. */
export function openReplayStore(): { store: MemoryStore; setTime: (t: number) => void } {
  let time = 0;
  const store = createMemoryStore({ ...REPLAY_BOUNDS, clock: () => time, sweep: false });
  return {
    store,
    setTime: (t) => {
      time = t;
    },
  };
}
