/**
 * A host's clock in whole milliseconds. Records hold whole times, and a durable store takes one with a fraction for corrupt
 * when it reads it back.
 */
export function wholeClock(clock: () => number): () => number {
  return clock === Date.now ? clock : () => Math.floor(clock());
}
