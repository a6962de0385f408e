import Type from 'typebox';
import { Fault, shapeOf } from '../core/fault.ts';
import { addressOf } from '../identity/address-ranges.ts';
import { assertCallFields } from '../limits/call.ts';
import type { ScenarioFinding } from './events.ts';
import type { RequestEvent } from './request-event.ts';
import type { Scenarios } from './scenarios.ts';

const text = (maxLength: number) => Type.String({ maxLength });
const orNull = (schema: Type.TSchema) => Type.Optional(Type.Union([schema, Type.Null()]));

/** Requests that somebody else has answered and reports, as JSON: the fields of {@link RequestEvent}. */
export const requestReportSchema = Type.Object(
  {
    requests: Type.Array(
      Type.Object(
        {
          method: Type.String({ pattern: '^[A-Z]{1,20}$' }),
          path: text(8_192),
          ip: text(64),
          ua: orNull(text(1_024)),
          user: orNull(text(256)),
          status: orNull(Type.Integer({ minimum: 100, maximum: 599 })),
          headerNames: orNull(Type.Array(text(256), { maxItems: 256 })),
          route: orNull(text(1_024)),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 1_000 },
    ),
  },
  { additionalProperties: false },
);

/** What came of a report. */
export interface RequestReport {
  readonly observed: number;
  /** What scenarios did about it, without identifiers. */
  readonly findings: readonly ScenarioFinding[];
}

/**
 * Judges requests that a proxy or another service reports, in their order. All of them, or, when one names no address, none.
 *
 * @param requests valid by {@link requestReportSchema}
 * @throws Fault `INPUT_INVALID` when an `ip` is no address; the message says whose.
 */
export async function observeRequests(
  scenarios: Pick<Scenarios, 'observe'>,
  requests: readonly RequestEvent[],
): Promise<RequestReport> {
  requests.forEach((request, index) => {
    assertCallFields('call', request);
    const { ip } = request;
    if (addressOf(ip) !== null) return;
    throw new Fault(
      'INPUT_INVALID',
      `requests[${index}].ip must be the text of an IPv4 or IPv6 address, got ${shapeOf(ip)}`,
    );
  });
  const findings: ScenarioFinding[] = [];
  for (const request of requests) findings.push(...(await scenarios.observe(request)));
  return { observed: requests.length, findings };
}
