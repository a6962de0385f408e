import cluster from 'node:cluster';
import type { Store } from '../stores/store.ts';
import type { Warning } from './warning.ts';

export interface DeploymentOptions {
  readonly store: Store;
  /** Whether this process is one of several. Default: whether it is a worker of node:cluster. */
  readonly isWorker?: boolean | undefined;
  /** The process's environment, where process managers leave their marks. Default: none is looked at. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** What PM2 sets in each of the processes it starts. */
const processManagerMarks = ['NODE_APP_INSTANCE', 'pm_id'];

/** Looks for a memory store in one of several processes: each would count on its own, and limits add up. */
export function deploymentWarnings(options: DeploymentOptions): Warning[] {
  const { store, isWorker = cluster.isWorker, environment = {} } = options;
  const managed = processManagerMarks.some((mark) => environment[mark] !== undefined);
  if (store.immediate === undefined || !(isWorker || managed)) return [];
  return [
    {
      code: 'PORTCULLIS_MEMORY_STORE_IN_CLUSTER',
      message:
        'The store is in the memory of this process, which is one of several: every process counts on its own. Use a store they share, such as portcullis/redis.',
    },
  ];
}
