/** A clock of the service, as this browser reckons it from what answers have told. */
export interface ToldClock {
  /** Notes the time that an answer has told, in ms. */
  note(toldMs: number): void;
  /** Now, in ms. The browser's own time until an answer has told any. */
  now(): number;
}

/** @param browserNow for tests */
export function createToldClock(browserNow: () => number = Date.now): ToldClock {
  let aheadMs = 0;
  return {
    note(toldMs) {
      aheadMs = toldMs - browserNow();
    },
    now: () => browserNow() + aheadMs,
  };
}

/** The clock of the node that answers: events, changes of mode and status bear its time. */
export const nodeClock = createToldClock();

/** The clock of the store, which need not agree with that of a node: blocks and pins end by it. */
export const storeClock = createToldClock();
