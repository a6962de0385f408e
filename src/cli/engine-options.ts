import { randomBytes } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { defaultPolicies, type Policy } from '../core/policy.ts';
import { Engine } from '../guard/engine.ts';
import { createIdentifier } from '../identity/identifier.ts';
import { createMemoryStore, type MemoryStore } from '../stores/memory/index.ts';
import { FileTime } from './replay/file-time.ts';

/**
 * What records may take of the memory that the process gets. What is thrown away between two collections of garbage takes
 * about as much again, and a process that has none left dies where it could have dropped old records.
 */
const roomOfProcess = (): number => 0.4 * getHeapStatistics().heap_size_limit;

const MOST_REMEMBERED = 65_536;
/** What a subject takes whose words, components and keys are remembered; of those, twice as many as asked for may be there. */
const REMEMBERED_BYTES = 2 * 3_500;

/**
 * How many components of each kind an engine remembers: a file shows the same people again, and hashing them anew costs
 * more than deciding. A small process remembers fewer: no more than a tenth of its memory takes for each engine.
 */
export const rememberedComponents = (): number =>
  Math.min(MOST_REMEMBERED, Math.floor((0.1 * getHeapStatistics().heap_size_limit) / REMEMBERED_BYTES));

/** An engine whose keys mean nothing outside of this run. */
export function engineOf(policies: readonly Policy[], environment = 'replay'): Engine {
  const identifier = createIdentifier({ secret: randomBytes(32) }, rememberedComponents());
  return new Engine({ identifier, policies, environment });
}

/** The same for the policies of a file; without one, the defaults. */
export async function openEngine(policyFile?: string): Promise<Engine> {
  return engineOf(await policiesOf(policyFile));
}

/**
 * A memory store whose time is handed in.
 *
 * @param stores how many such stores share the room of the process
 */
export function openReplayStore(stores = 1): { store: MemoryStore; setTime: (t: number) => void } {
  const { clock, sweptBy, set } = new FileTime();
  const maxRecords = Number.POSITIVE_INFINITY;
  const maxBytes = Math.floor(roomOfProcess() / stores);
  return { store: createMemoryStore({ maxRecords, maxBytes, clock, sweptBy }), setTime: set };
}

/** What reads and checks a policy file is loaded only when there is one: most runs start twice as fast without. */
export async function policiesOf(policyFile: string | undefined): Promise<readonly Policy[]> {
  if (policyFile === undefined) return defaultPolicies;
  const { readPolicyFile } = await import('../config/policy-file.ts');
  return readPolicyFile(policyFile);
}
