/** W3C trace context as it came in: passed on unchanged, by services that do not trace themselves. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate: string | null;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** What the recommendation asks every vendor to be able to pass on. */
const TRACESTATE_MAX_CHARS = 512;

/** Reads the pair; null when `traceparent` is not valid. A `tracestate` that is too long is left behind. */
export function readTraceContext(traceparent: string | null, tracestate: string | null): TraceContext | null {
  if (traceparent === null || !TRACEPARENT.test(traceparent)) return null;
  const passedOn = tracestate !== null && tracestate !== '' && tracestate.length <= TRACESTATE_MAX_CHARS;
  return { traceparent, tracestate: passedOn ? tracestate : null };
}
