import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simBody } from '../../test/simulation/svc-client/simulated-network.ts';
import { backoffMs } from './backoff.ts';
import { retryAfterMs } from './retry-after.ts';
import { isIdempotent, retryCause } from './retry-rules.ts';
import { readTraceContext } from './trace-context.ts';

function status(code: number) {
  return {
    kind: 'response',
    response: { status: code, headers: {}, body: simBody('') },
    receipt: null,
  } as const;
}

describe('what may be retried', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])('%s, which is idempotent', (method) => {
    expect(isIdempotent(method, undefined)).toBe(true);
  });

  it.each(['POST', 'PATCH', 'CONNECT', 'get'])('%s only with a key', (method) => {
    expect(isIdempotent(method, undefined)).toBe(false);
    expect(isIdempotent(method, 'k1')).toBe(true);
  });

  it('are gateway errors, full pools, timeouts and connections that fail', () => {
    const retried = Array.from({ length: 500 }, (_, i) => i + 100).filter(
      (code) => retryCause(status(code)) !== null,
    );
    expect(retried).toEqual([429, 502, 503, 504]);
    expect(retryCause({ kind: 'timeout' })).toBe('timeout');
    expect(retryCause({ kind: 'unreachable', sent: true, cause: null })).toBe('unreachable');
  });

  it('is nothing once the caller has gone, or when it was at fault itself', () => {
    expect(retryCause({ kind: 'aborted', reason: null })).toBeNull();
    expect(retryCause({ kind: 'misused', error: null })).toBeNull();
  });
});

describe('backoff', () => {
  const policy = { firstMs: 50, maxMs: 2_000 };

  it('doubles its ceiling up to the longest wait', () => {
    const ceilings = [1, 2, 3, 6, 7, 1_000].map((retry) => backoffMs(policy, retry, () => 1));
    expect(ceilings).toEqual([50, 100, 200, 1_600, 2_000, 2_000]);
  });

  it('takes any part of the ceiling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (retry, part) => {
          const waitMs = backoffMs(policy, retry, () => part);
          expect(waitMs).toBe(part * backoffMs(policy, retry, () => 1));
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  it('is read in seconds', () => {
    expect(retryAfterMs({ 'retry-after': '3' })).toBe(3_000);
    expect(retryAfterMs({ 'retry-after': ' 0 ' })).toBe(0);
  });

  it('is read however long it is', () => {
    expect(retryAfterMs({ 'retry-after': '9999999999' })).toBe(9_999_999_999_000);
    expect(retryAfterMs({ 'retry-after': '9'.repeat(400) })).toBe(Number.POSITIVE_INFINITY);
  });

  it('is read as a date against the date of the response, not against our clock', () => {
    const date = 'Tue, 15 Nov 1994 12:45:26 GMT';
    expect(retryAfterMs({ 'retry-after': 'Tue, 15 Nov 1994 12:45:31 GMT', date })).toBe(5_000);
    expect(retryAfterMs({ 'retry-after': 'Tue, 15 Nov 1994 12:45:00 GMT', date })).toBe(0);
  });

  it.each([undefined, 'yesterday'])(
    'is read against our clock where the date of the response is %j',
    (date) => {
      const receivedAt = Date.parse('Tue, 15 Nov 1994 12:45:29 GMT');
      const read = (line: string) => retryAfterMs({ 'retry-after': line, date }, receivedAt);
      expect(read('Tue, 15 Nov 1994 12:45:31 GMT')).toBe(2_000);
      expect(read('Tue, 15 Nov 1994 12:45:00 GMT')).toBe(0);
      expect(read('soon')).toBeNull();
    },
  );

  it('is read as a date of any form that HTTP has had, all of Greenwich', () => {
    const date = 'Sun, 06 Nov 1994 08:49:30 GMT';
    const forms = [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ];
    expect(forms.map((line) => retryAfterMs({ 'retry-after': line, date }))).toEqual([7_000, 7_000, 7_000]);
  });

  it('is the longest of several', () => {
    expect(retryAfterMs({ 'retry-after': ['3', '120', '7'] })).toBe(120_000);
    expect(retryAfterMs({ 'retry-after': ['soon', '3'] })).toBe(3_000);
    const date = 'Tue, 15 Nov 1994 12:45:26 GMT';
    expect(retryAfterMs({ 'retry-after': ['3', 'Tue, 15 Nov 1994 12:45:31 GMT'], date })).toBe(5_000);
  });

  it.each([undefined, '', 'soon', '-1', '1.5', [], ['soon', '']])('is not %j', (value) => {
    expect(retryAfterMs({ 'retry-after': value })).toBeNull();
  });
});

describe('trace context', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it('is passed on when it is valid', () => {
    expect(readTraceContext(traceparent, 'a=1')).toEqual({ traceparent, tracestate: 'a=1' });
    expect(readTraceContext(traceparent, null)).toEqual({ traceparent, tracestate: null });
  });

  it('leaves a state behind that is too long', () => {
    expect(readTraceContext(traceparent, 'x'.repeat(513))).toEqual({ traceparent, tracestate: null });
  });

  it.each([
    null,
    '',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
  ])('is not %j', (text) => {
    expect(readTraceContext(text, 'a=1')).toBeNull();
  });
});
