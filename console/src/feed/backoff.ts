const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/**
 * How long to wait before connection number `attempt` (from 1): doubling, with half of it by chance, so that the
 * consoles of a team do not return all at once.
 *
 * @param chance from 0 to 1
 */
export function reconnectWaitMs(attempt: number, chance: number, leastMs = 0): number {
  const ceilingMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.max(leastMs, Math.round(ceilingMs / 2 + (ceilingMs / 2) * chance));
}
