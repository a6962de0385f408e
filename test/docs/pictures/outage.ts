import { defaultBreaker, defaultCaps } from '../../../src/guard/failure/failure-policy.ts';
import { defaultLogin } from '../../../src/index.ts';
import { arrow, box, label, picture, span } from './drawing.ts';

const ordinals: Readonly<Record<number, string>> = { 2: 'second', 3: 'third', 4: 'fourth' };

/** The modes of a credential policy, and what leads from one to another. */
export function modesPicture(): string {
  const {
    tripFailures,
    tripWindowMs,
    minOpenMs,
    healthyMs,
    probeEveryMs,
    shutAtEntry,
    entryWindowMs,
    shutMs,
  } = defaultBreaker;
  const caps = defaultCaps(defaultLogin).map(
    ({ scope, count, windowMs }) => `${scope}: ${count} in ${span(windowMs)}`,
  );
  const small = { classes: 'small faint', anchor: 'middle' } as const;
  return picture(
    {
      width: 760,
      height: 340,
      title: 'What happens while the store is away',
      says: `A single failure is answered closed. ${tripFailures} failures within ${span(tripWindowMs)} lead to local caps, until ${span(minOpenMs)} have passed and all probes of ${span(healthyMs)} succeeded. The entry number ${shutAtEntry} within ${span(entryWindowMs)} shuts the policy for ${span(shutMs)}.`,
    },
    [
      label(
        { x: 20, y: 24 },
        'login and otp, per policy and node. api stays FAIL_OPEN under its guardrails until it is shut.',
        {
          classes: 'small faint',
        },
      ),
      box({ x: 20, y: 60, width: 180, height: 64 }, 'green', 'NORMAL', ['the store decides']),
      box({ x: 20, y: 222, width: 180, height: 64 }, 'amber', 'FAIL_CLOSED', [
        'this one answer only:',
        'HARD level 2, rule store',
      ]),
      box({ x: 400, y: 60, width: 340, height: 64 }, 'amber', 'DEGRADED', [
        `local caps (login ${caps.join(', ')})`,
        `nothing reaches the store but a probe every ${span(probeEveryMs)}`,
      ]),
      box({ x: 400, y: 222, width: 340, height: 64 }, 'red', 'FAIL_CLOSED, shut', [
        `nobody passes for ${span(shutMs)}; event critical`,
      ]),
      arrow({ x: 84, y: 124 }, { x: 84, y: 218 }),
      label({ x: 78, y: 176 }, 'a failure', { classes: 'small faint', anchor: 'end' }),
      arrow({ x: 136, y: 222 }, { x: 136, y: 128 }),
      label({ x: 142, y: 176 }, 'the next one', { classes: 'small faint' }),
      arrow({ x: 200, y: 76 }, { x: 396, y: 76 }),
      label({ x: 298, y: 68 }, `${tripFailures} failures within ${span(tripWindowMs)}`, small),
      arrow({ x: 400, y: 96 }, { x: 204, y: 96 }),
      label({ x: 308, y: 112 }, `${span(minOpenMs)} have passed and all`, small),
      label({ x: 308, y: 126 }, `probes of ${span(healthyMs)} succeeded`, small),
      arrow({ x: 200, y: 118 }, { x: 396, y: 246 }),
      label({ x: 330, y: 190 }, `the ${ordinals[shutAtEntry]} time`, { classes: 'small faint' }),
      label({ x: 350, y: 204 }, `within ${span(entryWindowMs)}`, { classes: 'small faint' }),
      arrow({ x: 570, y: 222 }, { x: 570, y: 128 }),
      label({ x: 578, y: 170 }, `after ${span(shutMs)}; with healthy`, { classes: 'small faint' }),
      label({ x: 578, y: 184 }, 'probes at once NORMAL', { classes: 'small faint' }),
      label(
        { x: 20, y: 322 },
        'A trip that shuts is no entry, so a store that keeps flapping cannot keep a policy shut for ever.',
        {
          classes: 'small faint',
        },
      ),
    ],
  );
}
