import { performance } from 'node:perf_hooks';
import { STANDSTILL_MS } from '../core/duration.ts';

/**
 * Runs `expire` after `limitMs`, unless what it gives is called before. As with {@link Deadlines}, replies that came while
 * this process stood still are looked at first, and what is left to do then has its time once more.
 */
export function expireAfter(limitMs: number, expire: () => void): () => void {
  const dueAtMs = performance.now() + limitMs;
  let turn: NodeJS.Immediate | undefined;
  const look = (): void => {
    if (performance.now() - dueAtMs <= STANDSTILL_MS) expire();
    else timer = setTimeout(expire, limitMs);
  };
  let timer = setTimeout(() => {
    turn = setImmediate(look);
  }, limitMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}
