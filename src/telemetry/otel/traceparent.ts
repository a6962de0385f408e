/** Where a request comes from in a trace, as the W3C header `traceparent` tells. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.{0,64})?$/;

/** Reads the header; null when it is not one. Later versions may say more, of which nothing is read. */
export function parseTraceParent(header: string | undefined): TraceParent | null {
  const [, version, traceId = '', spanId = '', flags = '00', rest] = form.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}
