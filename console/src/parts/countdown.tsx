import { useEffect, useState } from 'preact/hooks';
import { serviceNow } from '../api/service-clock.ts';
import { clockTime, countdown } from '../format/time.ts';

/** Now by the service's clock, once a second. */
export function useServiceNow(everyMs = 1_000): number {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** How long until a time; the time itself stands beside it, for those to whom ticking text is read aloud. */
export function Countdown({ until }: { readonly until: number }) {
  const now = useServiceNow();
  const leftMs = until - now;
  if (leftMs <= 0) return <span class="faint">ended</span>;
  return (
    <time class="countdown" dateTime={new Date(until).toISOString()}>
      <span class="figures">{countdown(leftMs)}</span>{' '}
      <span class="faint">until {clockTime(until, now)}</span>
    </time>
  );
}
