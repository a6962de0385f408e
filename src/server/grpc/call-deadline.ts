const units: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
/** Timers count no further; no call lasts so long either. */
const mostMs = 2 ** 31 - 1;

/**
 * How long a caller waits for its answer, by its `grpc-timeout`. Null: for as long as it takes; so too where it says nothing that
 * can be understood, for then it looks at the time itself.
 */
export function waitMsOf(timeout: string | undefined): number | null {
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(timeout ?? '') ?? [];
  const factor = units[unit];
  if (amount === undefined || factor === undefined) return null;
  return Math.min(mostMs, Number(amount) * factor);
}
