import { setTimeout } from 'node:timers/promises';
import Type from 'typebox';
import { strict } from '../../config/fields.ts';
import type { Scope } from '../../core/decision.ts';
import type { Guard } from '../../guard/guard.ts';
import type { BlockBook } from '../block-book.ts';
import { listBlocks } from '../block-listing.ts';
import { ProblemSchema } from '../http/problem.ts';
import type { Route } from '../route.ts';
import { type EventSignals, requestOf } from './decisions.ts';
import { type GivenNote, noteOf } from './operator-note.ts';
import {
  AuditSchema,
  BlockSchema,
  notedWithoutToken,
  noteFields,
  ScopeSchema,
  signalFields,
} from './schemas.ts';

const mostBlocks = 10_000;
const usualBlocks = 1_000;
/** Some hundred thousand blocks are looked at by then, and whoever asked still waits. */
const longestWalkMs = 3_000;

const BlockList = Type.Object({
  at: Type.Integer({ description: 'ms of the store’s clock, by which blocks end.' }),
  blocks: Type.Array(BlockSchema, {
    description:
      'Highest level first; of the same level hard before soft, and what ends first before the rest.',
  }),
  more: Type.Boolean({ description: 'There are more than were asked for, of no higher level.' }),
  whole: Type.Boolean({
    description: `All blocks were looked at. False: that took longer than ${longestWalkMs} ms, \`more\` is true, and among those that are missing may be some of a higher level.`,
  }),
});

const PlaceSchema = Type.Object(
  {
    ...signalFields,
    scope: ScopeSchema,
    level: Type.Integer({ minimum: 1, maximum: 6, description: '15 s, 1 min, 5 min, 30 min, 6 h, 24 h.' }),
    ...noteFields,
  },
  strict,
);

type Placing = EventSignals & GivenNote & { readonly scope: Scope; readonly level: number };

/** What operators see and do of blocks: list, lift, place, and the trail of it. */
export function blockRoutes(guard: Guard, book: BlockBook): Route[] {
  return [listRoute(book), liftRoute(book), placeRoute(guard), auditRoute(guard)];
}

function listRoute(book: BlockBook): Route {
  return {
    method: 'GET',
    path: '/v1/blocks',
    summary:
      'Blocks that run now, those of the gateway’s clients too: the 1000 of the highest level, or as many as `limit` says, up to 10000. To find them all blocks are looked at, for 3 s at most: `whole` says whether that was enough. Their ids hold hashes, no identifiers.',
    role: 'observe',
    query: Type.Object(
      {
        limit: Type.Optional(
          Type.String({ pattern: '^(?:[0-9]{1,4}|10000)$', expected: `a number up to ${mostBlocks}` }),
        ),
      },
      strict,
    ),
    answers: { 200: BlockList, 400: ProblemSchema, 503: ProblemSchema },
    handle: async ({ query }) => {
      const limit = Number(query.getAll('limit').at(-1) ?? usualBlocks);
      const over = new AbortController();
      try {
        const time = setTimeout(longestWalkMs, undefined, { signal: over.signal });
        return { status: 200, body: await listBlocks(book, limit, time) };
      } finally {
        over.abort();
      }
    },
  };
}

function liftRoute(book: BlockBook): Route {
  return {
    method: 'DELETE',
    path: '/v1/blocks/:id',
    summary:
      'Ends the blocks of an id, the hard and the soft one. Scores and the memory of them stay. `lifted` is false when none was running any more.',
    role: 'operate',
    body: Type.Object(noteFields, strict),
    requiredWithoutToken: notedWithoutToken,
    answers: { 200: Type.Object({ lifted: Type.Boolean() }), 400: ProblemSchema, 503: ProblemSchema },
    handle: async ({ params, body, caller }) => {
      const note = noteOf(caller, body as GivenNote);
      return { status: 200, body: { lifted: await book.lift(params.id ?? '', note) } };
    },
  };
}

function placeRoute(guard: Guard): Route {
  return {
    method: 'POST',
    path: '/v1/blocks',
    summary: 'Places a HARD block on one key of a subject.',
    role: 'operate',
    body: PlaceSchema,
    requiredWithoutToken: notedWithoutToken,
    answers: { 200: BlockSchema, 400: ProblemSchema, 503: ProblemSchema },
    handle: async ({ body, caller }) => {
      const { scope, level, by, why, ...signals } = body as Placing;
      const placement = { scope, level, ...noteOf(caller, { by, why }) };
      return { status: 200, body: await guard.place(requestOf(signals), placement) };
    },
  };
}

function auditRoute(guard: Guard): Route {
  return {
    method: 'GET',
    path: '/v1/audit',
    summary: 'What operators did, newest last.',
    role: 'observe',
    answers: { 200: Type.Object({ acts: Type.Array(AuditSchema) }), 503: ProblemSchema },
    handle: async () => ({ status: 200, body: { acts: await guard.audit() } }),
  };
}
