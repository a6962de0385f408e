import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/client.ts';

/** What was read from the service: the last good answer stays while a new one is on its way or fails. */
export interface Reading<T> {
  readonly value: T | null;
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly again: () => void;
}

/** A long list is work for the service: it rests so many times as long as the last one took, up to a bound. */
const REST_TIMES = 10;
const LONGEST_REST_MS = 60_000;

/**
 * Reads at once, then every so often while the page is seen; more rarely where an answer takes long.
 *
 * @param read stable between drawings, or it is read again with each
 */
export function useReading<T>(read: () => Promise<T>, everyMs: number | null): Reading<T> {
  const [state, setState] = useState<Omit<Reading<T>, 'again'>>({ value: null, problem: null, isBusy: true });
  const turn = useRef(0);
  const underWay = useRef(0);
  const restsUntil = useRef(0);
  const again = useCallback(() => {
    turn.current += 1;
    const mine = turn.current;
    const askedAt = performance.now();
    underWay.current += 1;
    setState((before) => ({ ...before, isBusy: true }));
    read()
      .then(
        (value) => {
          const tookMs = performance.now() - askedAt;
          restsUntil.current = performance.now() + Math.min(LONGEST_REST_MS, REST_TIMES * tookMs);
          if (mine === turn.current) setState({ value, problem: null, isBusy: false });
        },
        (cause: unknown) => {
          if (mine === turn.current)
            setState((before) => ({ value: before.value, problem: wordsOf(cause), isBusy: false }));
        },
      )
      .finally(() => {
        underWay.current -= 1;
      });
  }, [read]);
  useEffect(() => {
    again();
    if (everyMs === null) return;
    const timer = setInterval(() => {
      // One that takes longer than the pause would be overtaken by the next each time, and never seen.
      if (underWay.current > 0 || performance.now() < restsUntil.current) return;
      if (document.visibilityState === 'visible') again();
    }, everyMs);
    return () => clearInterval(timer);
  }, [again, everyMs]);
  useEffect(
    () => () => {
      turn.current += 1;
    },
    [],
  );
  return { ...state, again };
}
