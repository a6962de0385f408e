import Type from 'typebox';
import { strict } from '../../config/fields.ts';
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
          since: Type.Optional(
            Type.String({ pattern: '^([0-9a-f]{12}-)?[0-9]{1,15}$', expected: 'the id of an event, or 0' }),
          ),
        },
        strict,
      ),
      answers: { 200: Type.String({ contentMediaType: 'text/event-stream' }), 503: ProblemSchema },
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

/**
 * The id of the last event the reader has seen; null for events from now on. The header counts first: an `EventSource`
 * that comes back has the address that it began with.
 */
function sinceIn({ headers: { 'last-event-id': last }, query }: RouteCall): string | null {
  return typeof last === 'string' && last !== '' ? last : query.get('since');
}
