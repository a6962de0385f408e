import { readKeyFile, secretsOf } from '../../config/key-file.ts';
import { AuditTrail } from '../../guard/audit-trail.ts';
import type { Guard } from '../../guard/guard.ts';
import { createGuard, type GuardOptions, type Store } from '../../index.ts';
import { createLimiter } from '../../limits/index.ts';
import { BlockBook } from '../../server/block-book.ts';
import { clearingStore } from '../../stores/clearing-store.ts';
import { policiesOf } from '../engine-options.ts';
import { openStore } from '../open-store.ts';

/** Where blocks are, as the options name it. */
export interface Connection {
  readonly store: string;
  readonly keys: string;
  readonly environment: string;
  readonly policy?: string;
}

/** What there is to act with. */
export interface Blocks {
  readonly guard: Guard;
  readonly book: BlockBook;
}

/**
 * Hands the blocks of a store to `act`, and closes it afterwards.
 *
 * @param name that of the limiter whose blocks are among them
 * @param mayBeNew whether there may be no records yet
 */
export async function openBlocks(
  { store: url, keys, environment, policy }: Connection,
  name: string,
  mayBeNew: boolean,
  act: (blocks: Blocks) => Promise<void>,
): Promise<void> {
  const secrets = secretsOf(readKeyFile(keys));
  const policies = await policiesOf(policy);
  const store = await openStore(url, mayBeNew);
  const guard = await guardOver({ ...secrets, store, environment, policies });
  try {
    const limiter = createLimiter({ ...secrets, store, environment, name });
    const audit = new AuditTrail(clearingStore(store), environment, () => {});
    await act({ guard, book: new BlockBook(guard, limiter, audit) });
  } finally {
    await guard.close();
  }
}

/** A store that nobody closes keeps its connection, and with it the process. */
async function guardOver(options: GuardOptions & { readonly store: Store }): Promise<Guard> {
  try {
    return createGuard(options);
  } catch (cause) {
    await options.store.close();
    throw cause;
  }
}
