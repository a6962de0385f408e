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
  const underWay = useRef(0);
  const again = useCallback(() => {
    turn.current += 1;
    const mine = turn.current;
    underWay.current += 1;
    setState((before) => ({ ...before, isBusy: true }));
    read()
      .then(
        (value) => {
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
      if (document.visibilityState === 'visible' && underWay.current === 0) again();
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
