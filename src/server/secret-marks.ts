import type { ServiceConfig } from '../config/service-config.ts';
import { DAY_MS } from '../core/duration.ts';
import { Fault } from '../core/fault.ts';
import { CONTRACT_VERSION } from '../core/keys.ts';
import type { Key, StoredRecord } from '../core/records.ts';
import { createHmacText } from '../identity/hmac.ts';
import { clearingStore } from '../stores/clearing-store.ts';
import type { Store } from '../stores/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { ServiceSecrets } from './secrets.ts';

type Secrets = Omit<ServiceSecrets, 'isNew'>;

/** What the node that started last on a store goes by. */
interface MarksRecord extends StoredRecord {
  readonly marks: readonly string[];
}

/** Nodes run for long without a restart. */
const keepMs = 400 * DAY_MS;

/** Stands for nobody: what is hashed of a subject begins with its kind and a NUL. */
const markedText = 'portcullis secret';

/**
 * Warns where the node that started before on this store has gone by another secret: each of them would count for itself, and
 * none would see the blocks of the other. While a key rotation runs, nodes with one secret in common go together. Never
 * fails: whether others have the same secret is no reason not to start.
 */
export async function warnOfOtherSecret(
  store: Store,
  { environment, keyFile }: Pick<ServiceConfig, 'environment' | 'keyFile'>,
  secrets: Secrets,
  log: Log,
): Promise<void> {
  try {
    const before = await leaveMarks(clearingStore(store), environment, marksOf(secrets));
    if (before === null) return;
    log.warn(
      { code: 'PORTCULLIS_SECRET_DIFFERS', file: keyFile },
      `a node with another secret started on this store at ${new Date(before).toISOString()}: where it still runs, each counts for itself and none sees the blocks of the other; give all nodes one key file`,
    );
  } catch (error) {
    const code = error instanceof Fault ? error.code : 'INVARIANT_BROKEN';
    log.warn({ code }, 'whether other nodes have the same secret could not be found out');
  }
}

/** Leaves the marks of this node. Gives when the node before it started, where they have none in common; else null. */
function leaveMarks(store: Store, environment: string, marks: readonly string[]): Promise<number | null> {
  const text = `portcullis:${environment}:secrets:${CONTRACT_VERSION}:marks:{secrets}`;
  const key: Key<MarksRecord> = { text, was: null };
  return store.transact([key], (records, now) => {
    const before = records.get(key);
    records.put(key, { at: now, marks }, { keepMs, softMs: 0, hardMs: 0 });
    // What somebody else has written there says nothing.
    if (before === undefined || !Array.isArray(before.marks)) return null;
    return marks.some((mark) => before.marks.includes(mark)) ? null : before.at;
  });
}

/** One for each secret. They tell no more of it than the name of any record does. */
function marksOf({ secret, previousSecret }: Secrets): readonly string[] {
  const present = createHmacText(secret)(markedText);
  return previousSecret === undefined ? [present] : [present, createHmacText(previousSecret)(markedText)];
}
