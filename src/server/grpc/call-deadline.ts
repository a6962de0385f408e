import { HOUR_MS, LONGEST_TIMER_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts';

const units: Readonly<Record<string, number>> = {
  H: HOUR_MS,
  M: MINUTE_MS,
  S: SECOND_MS,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/**
 * How long a caller waits for its answer, by its `grpc-timeout`. Null: for as long as it takes; so too where it says nothing that
 * can be understood, for then it looks at the time itself.
 */
export function waitMsOf(timeout: string | undefined): number | null {
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(timeout ?? '') ?? [];
  const factor = units[unit];
  if (amount === undefined || factor === undefined) return null;
  return Math.min(LONGEST_TIMER_MS, Number(amount) * factor);
}
