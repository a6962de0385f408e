import type { Reason } from '../core/decision.ts';
import type { AuditEvent, DecisionEvent } from '../guard/events.ts';
import type { Guard } from '../guard/guard.ts';
import type { LimitListener } from '../limits/events.ts';
import { cleanText } from './clean-text.ts';
import type { FeedFields } from './feed-event.ts';
import type { LiveFeed } from './live-feed.ts';
import { placedBlocks } from './placed-blocks.ts';

/** Shows in the feed what a guard tells. Every field is named here: what is not, is not shown. */
export function feedOf(feed: LiveFeed, guard: Guard): void {
  guard.on('decision', (event) => showDecision(feed, event));
  guard.on('mode', ({ at, policy, from, to }) => feed.publish('mode', { at, policy, from, to }));
  guard.on('breaker', ({ at, policy, what, entries }) =>
    feed.publish('breaker', { at, policy, what, entries }),
  );
  guard.on('critical', ({ at, policy, what, until }) =>
    feed.publish('critical', { at, policy, what, until }),
  );
  guard.on('cap', ({ at, policy, op, mode, outcome, scopes }) =>
    feed.publish('cap', { at, policy, op, mode, outcome, scopes }),
  );
  guard.on('degradedEpoch', ({ at, from, policy, nodes, admitted, refused, bounds }) =>
    feed.publish('degradedEpoch', { at, from, policy, nodes, admitted, refused, bounds }),
  );
  guard.on('corrupt', ({ policy, op, setAside }) => feed.publish('corrupt', { policy, op, setAside }));
  guard.on('audit', (event) => showAudit(feed, event));
}

function showDecision(feed: LiveFeed, event: DecisionEvent): void {
  const { op, action, policy, decision } = event;
  const isOrdinary = decision.outcome === 'ALLOW' && decision.shadow === undefined;
  feed.offer('decision', () => shownDecision(event), isOrdinary);
  const placed = placedBlocks(event).map(shown);
  if (placed.length > 0) feed.publish('block', { op, action, policy, reasons: placed });
}

function shownDecision({ op, action, policy, decision }: DecisionEvent): FeedFields {
  const { outcome, level, until, retryAfterMs, rule, scope, deferred, mode, reasons, shadow } = decision;
  return {
    op,
    action,
    policy,
    decision: {
      outcome,
      level,
      until,
      retryAfterMs,
      rule,
      scope,
      deferred,
      mode,
      reasons: reasons.map(shown),
      ...(shadow && { shadow: shadow.map(shown) }),
    },
  };
}

const shown = ({ rule, scope, outcome, level, until }: Reason) => ({ rule, scope, outcome, level, until });

/** What operators write is theirs, but not what they may quote. */
export function showAudit(feed: LiveFeed, { at, what, block, by, why, until, unsure }: AuditEvent): void {
  feed.publish('audit', {
    at,
    what,
    block,
    by: cleanText(by),
    why: cleanText(why, 500),
    until,
    ...(unsure && { unsure }),
  });
}

/** Shows in the feed what a limiter tells; to be handed to it as `onEvent`. */
export function limitFeed(feed: LiveFeed, limiter: string): LimitListener {
  return (event) => {
    if (event.type === 'refused') {
      const { rule, caller, route, cost, retryAfterMs, shadow } = event;
      feed.publish('limit', { what: 'refused', limiter, rule, caller, route, cost, retryAfterMs, shadow });
    } else if (event.type === 'skipped') {
      feed.publish('limit', { what: 'skipped', limiter, by: event.by, route: event.route }, true);
    } else if (event.type === 'store-failed') {
      feed.publish('limit', { what: 'store-failed', limiter, code: event.code, paused: event.paused });
    } else if (event.type === 'store-recovered') {
      feed.publish('limit', { what: 'store-recovered', limiter });
    } else {
      feed.publish('limit', { what: 'record-corrupt', limiter, setAside: event.setAside });
    }
  };
}
