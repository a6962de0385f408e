import Type from 'typebox';
import { feedStream } from '../../telemetry/feed-stream.ts';
import type { LiveFeed } from '../../telemetry/live-feed.ts';
import { ProblemSchema, problemAnswer } from '../http/problem.ts';
import type { Route, RouteCall } from '../route.ts';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // nginx would hold the events back.
  'X-Accel-Buffering': 'no',
};

/** `GET /v1/events`: the live feed as server-sent events. Bounded: a reader that is too slow is told so and dropped. */
export function eventRoutes(feed: LiveFeed): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/events',
      summary: 'What happens, as server-sent events; goes on after Last-Event-ID. Carries no identifiers.',
      role: 'observe',
      query: Type.Object(
        {
          since: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', expected: 'the number of an event' })),
        },
        { additionalProperties: false },
      ),
      answers: { 200: null, 503: ProblemSchema },
      handle: (call) => {
        const subscription = feed.subscribe({ since: sinceIn(call) });
        if (subscription === null) {
          const retry = { headers: { 'Retry-After': '10' } };
          return problemAnswer(
            'TOO_MANY_STREAMS',
            'There are as many readers of events as there may be.',
            retry,
          );
        }
        return { status: 200, headers, body: feedStream(subscription, call.signal) };
      },
    },
  ];
}

/** The number of the last event the reader has seen; null for events from now on. */
function sinceIn({ headers: { 'last-event-id': last }, query }: RouteCall): number | null {
  const text = query.get('since') ?? (typeof last === 'string' ? last : null);
  return text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}
