import { join } from 'node:path';
import type { ServiceConfig } from '../config/service-config.ts';
import { isPostgresUrl, isRedisUrl, storeForms } from '../config/store-name.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { defaultDeadlineMs } from '../stores/default-deadline.ts';
import type { Store } from '../stores/store.ts';

/** What a configuration may name. A password in a URL is shown to nobody. */
export type StoreKind = 'lmdb' | 'memory' | 'redis' | 'postgres';

/** The store of a service, and its kind in a word. */
export interface OpenedStore {
  readonly store: Store;
  readonly kind: StoreKind;
  /** Whether each of its calls answers at once or ends by a deadline of its own, so that a guard need not watch it. */
  readonly keepsDeadlines: boolean;
  /** Resolves when the store was reached for the first time; rejects when that failed. The store goes on trying. */
  ready(): Promise<void>;
}

/** Where the store fails in the background, with nobody waiting. */
export type StoreFaultListener = (fault: Fault) => void;

/**
 * A flush to the disk of this machine may take long, and deciding without the store would not help: there is no other
 * that has the records.
 */
const embeddedDeadlineMs = 1_000;

/** How long one call of the store may take, in milliseconds. */
export function deadlineOf(
  store: string,
  { deadlineMs }: Pick<ServiceConfig['failure'], 'deadlineMs'>,
): number {
  return deadlineMs ?? (isEmbedded(store) ? embeddedDeadlineMs : defaultDeadlineMs);
}

const isEmbedded = (store: string): boolean => store === 'lmdb' || store.startsWith('lmdb:');

/** Where the embedded store keeps its records; null where another store is named. */
export function embeddedFolder({
  store,
  dataFolder,
}: Pick<ServiceConfig, 'store' | 'dataFolder'>): string | null {
  if (!isEmbedded(store)) return null;
  return store === 'lmdb' ? join(dataFolder, 'records') : store.slice('lmdb:'.length);
}

/**
 * Opens the store that the configuration names; a driver is loaded only when its store is named. A server that is away is
 * no reason not to start: the store goes on trying, and decisions are made as the engine contract says.
 *
 * @throws Fault `CONFIG_INVALID` when the name is none, or the package of its driver is not installed.
 */
export async function openServiceStore(
  config: ServiceConfig,
  onFault: StoreFaultListener,
): Promise<OpenedStore> {
  const { store: name, failure } = config;
  const deadlineMs = deadlineOf(name, failure);
  if (name === 'memory') {
    const { createMemoryStore } = await import('../stores/memory/index.ts');
    return {
      store: createMemoryStore(),
      kind: 'memory',
      keepsDeadlines: true,
      ready: () => Promise.resolve(),
    };
  }
  const path = embeddedFolder(config);
  if (path !== null) {
    const { createLmdbStore } = await import('../stores/lmdb/index.ts');
    const store = createLmdbStore({ path, deadlineMs });
    return { store, kind: 'lmdb', keepsDeadlines: true, ready: () => store.ready().catch(nameOthers) };
  }
  if (isRedisUrl(name)) {
    const { createRedisStore } = await import('../stores/redis/index.ts');
    const store = createRedisStore({ url: name, deadlineMs });
    return { store, kind: 'redis', keepsDeadlines: false, ready: () => store.ready() };
  }
  if (isPostgresUrl(name)) {
    const { createPostgresStore } = await import('../stores/postgres/index.ts');
    const store = createPostgresStore({ connectionString: name, deadlineMs, onFault });
    return { store, kind: 'postgres', keepsDeadlines: false, ready: () => store.ready() };
  }
  throw new Fault('CONFIG_INVALID', `store must be ${storeForms}, got ${shapeOf(name)}`);
}

/** Whoever has not chosen the embedded store may do as well without its driver. */
function nameOthers(error: unknown): never {
  if (!(error instanceof Fault) || error.code !== 'CONFIG_INVALID') throw error;
  const others = 'or keep records elsewhere: --store memory, redis://… or postgres://…';
  throw new Fault('CONFIG_INVALID', `${error.message}; ${others}`, { cause: error });
}
