import cluster from 'node:cluster';
import type { Store } from '../stores/store.ts';
import { emitWarning, type Warning, type WarningListener } from './warning.ts';

export interface DeploymentOptions {
  readonly store: Store;
  /**
   * Whether this process is one of several. Default: whether it is a worker of node:cluster, as those of PM2's cluster
   * mode are. The marks that process managers leave in the environment are no proof: a process that is alone has them too.
   */
  readonly isWorker?: boolean | undefined;
}

/** Looks for a memory store in one of several processes: each would count on its own, and limits add up. */
export function deploymentWarnings(options: DeploymentOptions): Warning[] {
  const { store, isWorker = cluster.isWorker } = options;
  if (store.immediate === undefined || !isWorker) return [];
  return [
    {
      code: 'PORTCULLIS_MEMORY_STORE_IN_CLUSTER',
      message:
        'The store is in the memory of this process, which is one of several: every process counts on its own. Use a store they share, such as portcullis/redis.',
    },
  ];
}

/** Tells of such mistakes when something that counts is put over a store. */
export function warnOfDeployment(store: Store, warn: WarningListener = emitWarning): void {
  for (const warning of deploymentWarnings({ store })) warn(warning);
}
