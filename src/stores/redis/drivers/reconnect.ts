import { Fault } from '../../../core/fault.ts';

/** How long a connection may take to be made, with all that is said before its first command. */
export const CONNECT_MS = 2_000;
/** How long a connection may leave commands unanswered before it is taken for dead. */
export const STALL_MS = 1_000;

const firstDelayMs = 25;
const lastDelayMs = 1_000;

/** The pause before the next try to connect: short at first, for a restart; at most a second, for an outage. */
export function reconnectDelayMs(tries: number): number {
  return Math.min(lastDelayMs, firstDelayMs * 2 ** Math.min(tries, 10));
}

/** Whether trying again is of no use: the library is not installed, and will not be while this process runs. */
export function isHopeless(cause: unknown): boolean {
  return cause instanceof Fault && cause.code === 'CONFIG_INVALID';
}

/** Settles as `work` does, or rejects once `limitMs` have passed. */
export async function within<T>(limitMs: number, work: Promise<T>, late: () => unknown): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}
