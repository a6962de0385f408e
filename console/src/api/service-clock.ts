/** How far the service's clock is ahead of this browser's, so that countdowns end when the blocks do. */
let aheadMs = 0;

/** Notes the service's time as an answer has told it. */
export function noteServiceTime(serviceMs: number, browserMs: number = Date.now()): void {
  aheadMs = serviceMs - browserMs;
}

/** Now, in milliseconds, by the service's clock. */
export function serviceNow(): number {
  return Date.now() + aheadMs;
}
