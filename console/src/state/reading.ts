import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/client.ts';

/** What was read from the service: the last good answer stays while a new one is on its way or fails. */
export interface Reading<T> {
  readonly value: T | null;
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly again: () => void;
}

/**
 * Reads at once, then every so often while the page is seen.
 *
 * @param read stable between drawings, or it is read again with each
 */
export function useReading<T>(read: () => Promise<T>, everyMs: number | null): Reading<T> {
  const [state, setState] = useState<Omit<Reading<T>, 'again'>>({ value: null, problem: null, isBusy: true });
  const turn = useRef(0);
  const again = useCallback(() => {
    turn.current += 1;
    const mine = turn.current;
    setState((before) => ({ ...before, isBusy: true }));
    read().then(
      (value) => {
        if (mine === turn.current) setState({ value, problem: null, isBusy: false });
      },
      (cause: unknown) => {
        if (mine === turn.current)
          setState((before) => ({ value: before.value, problem: wordsOf(cause), isBusy: false }));
      },
    );
  }, [read]);
  useEffect(() => {
    again();
    if (everyMs === null) return;
    const timer = setInterval(() => {
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
