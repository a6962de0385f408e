import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledWorker, WorkerLimits } from '../servers/compiled-worker.ts';
import type { Orders, Said } from './store-worker.ts';

/** A worker under way and the counts it has acknowledged so far, the highest per key. */
export interface RunningWorker {
  readonly process: ChildProcess;
  readonly counts: ReadonlyMap<string, number>;
  readonly acknowledged: () => number;
  readonly isStalling: () => boolean;
  /** Codes of the faults that have ended its work. */
  readonly faults: readonly string[];
  /** Waits until something is so; fails when the worker has ended before. */
  until(isSo: () => boolean): Promise<void>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export function runWorker(worker: CompiledWorker, orders: Orders, limits?: WorkerLimits): RunningWorker {
  const process = worker.start([JSON.stringify(orders)], limits);
  const counts = new Map<string, number>();
  const faults: string[] = [];
  let acknowledged = 0;
  let isStalling = false;
  process.on('message', (message) => {
    const said = message as Said;
    if ('fault' in said) faults.push(said.fault);
    else if ('isStalling' in said) isStalling = true;
    else {
      counts.set(said.key, Math.max(said.count, counts.get(said.key) ?? 0));
      acknowledged += 1;
    }
  });
  // All that it has said is heard before it hangs up, but not always before it is gone.
  const hungUp = once(process, 'disconnect');
  const ended = once(process, 'close').then(async ([code, signal]) => {
    await hungUp;
    return (code ?? signal) as number | string;
  });
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) {
      if (process.exitCode !== null || process.signalCode !== null)
        throw new TypeError('The worker has ended.');
      await sleep(10);
    }
  };
  return {
    until,
    process,
    counts,
    faults,
    acknowledged: () => acknowledged,
    isStalling: () => isStalling,
    ended,
  };
}
