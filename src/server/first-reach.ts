import { Fault } from '../core/fault.ts';
import type { Log } from '../telemetry/log.ts';
import type { OpenedStore } from './open-store.ts';

/** How long the first connection to the store is waited for. */
const patienceMs = 2_000;

/**
 * Whether the store was reached. One that is away is told and lived with; one that cannot be, because its driver is not
 * installed, is not.
 */
export async function firstReach({ ready, kind }: OpenedStore, log: Log): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fault = new Fault('STORE_TIMEOUT', `The store was not reached within ${patienceMs} ms.`);
    timer = setTimeout(() => reject(fault), patienceMs);
  });
  try {
    await Promise.race([ready(), late]);
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || !error.code.startsWith('STORE_')) throw error;
    const { code, message } = error;
    log.warn(
      { code, store: kind, message },
      'the store does not serve; decisions are made without it until it does',
    );
    return false;
  } finally {
    clearTimeout(timer);
  }
}
