import { util } from 'undici';
import { RECEIPT_HEADER } from './receipt.ts';
import type { ResponseBody } from './response-body.ts';
import type { ResponseHeaders } from './retry-after.ts';
import type { SvcResponse } from './transport.ts';

/** Names and values in turn, as they came. */
export type RawHeaders = readonly Buffer[];

/** An answer whose headers are read when somebody looks at them: most callers do not. */
export class UndiciResponse implements SvcResponse {
  readonly status: number;
  readonly body: ResponseBody;
  private readonly raw: RawHeaders;
  private parsed: ResponseHeaders | null = null;

  constructor(status: number, raw: RawHeaders, body: ResponseBody) {
    this.status = status;
    this.raw = raw;
    this.body = body;
  }

  get headers(): ResponseHeaders {
    this.parsed ??= util.parseHeaders([...this.raw]);
    return this.parsed;
  }
}

/** The receipt among the headers. The first of several: no more than one can be signed for this call. */
export function receiptIn(raw: RawHeaders): string | null {
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i];
    if (name?.length !== RECEIPT_HEADER.length) continue;
    if (name.toString('latin1').toLowerCase() === RECEIPT_HEADER)
      return raw[i + 1]?.toString('latin1') ?? null;
  }
  return null;
}
