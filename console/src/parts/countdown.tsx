import { useEffect, useState } from 'preact/hooks';
import { storeClock } from '../api/service-clock.ts';
import { clockTime, countdown } from '../format/time.ts';

/** Now by the store's clock, once a second; read at each drawing, for an answer may have set the clock since. */
export function useStoreNow(everyMs = 1_000): number {
  const [, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((turn) => turn + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return storeClock.now();
}

/** How long until a block or a pin ends; the time itself stands beside it, for those to whom ticking text is read aloud. */
export function Countdown({ until }: { readonly until: number }) {
  const now = useStoreNow();
  const leftMs = until - now;
  if (leftMs <= 0) return <span class="faint">ended</span>;
  return (
    <time class="countdown" dateTime={new Date(until).toISOString()}>
      <span class="figures">{countdown(leftMs)}</span>{' '}
      <span class="faint">until {clockTime(until, now)}</span>
    </time>
  );
}
