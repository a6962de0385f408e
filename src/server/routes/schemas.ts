import Type from 'typebox';
import { strict } from '../../config/fields.ts';
import { rules, scopes } from '../../core/decision.ts';
import { signalBounds } from '../../guard/signals.ts';
import { mostNoteChars } from '../../operators/operator-note.ts';

const Text = (most: number, description: string) =>
  Type.String({ minLength: 1, maxLength: most, description });

const Device = Type.Object(
  {
    id: Text(signalBounds.deviceId, 'The device, as the host or its browser names it.'),
    confidence: Type.Enum(['LOW', 'MEDIUM', 'HIGH']),
  },
  strict,
);

/** The signals of a request. Null stands for what is left out, as in event lines. */
export const signalFields = {
  action: Type.Optional(
    Type.Union([Type.Null(), Text(128, 'What is attempted. Default `auth.login`; for consume `api.heavy`.')]),
  ),
  account: Type.Optional(
    Type.Union([
      Type.Null(),
      Text(signalBounds.account, 'Blind index or internal id. Required for login and otp.'),
    ]),
  ),
  ip: Text(signalBounds.ip, 'IPv4 or IPv6 text.'),
  ua: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.String({ maxLength: signalBounds.ua, description: 'The raw User-Agent. Never stored.' }),
    ]),
  ),
  device: Type.Optional(Type.Union([Type.Null(), Device])),
};

const Cost = Type.Union([
  Type.Null(),
  Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Default 1.' }),
]);

/** An event without `t` and `op`. */
export const SignalsSchema = Type.Object(signalFields, { ...strict, $id: 'Signals' });

/** An event of consume. */
export const CallSchema = Type.Object(
  { ...signalFields, cost: Type.Optional(Cost) },
  { ...strict, $id: 'Call' },
);

/** One item of a batch. */
export const BatchItemSchema = Type.Object(
  {
    op: Type.Enum(['check', 'fail', 'succeed', 'consume']),
    ...signalFields,
    cost: Type.Optional(Cost),
  },
  { ...strict, $id: 'BatchItem' },
);

const Millis = (description: string) => Type.Integer({ minimum: 0, description });
const Level = Type.Integer({ minimum: 0, maximum: 6, description: '0 for ALLOW, else 1 to 6.' });
export const ScopeSchema = Type.Enum([...scopes]);
const RuleSchema = Type.Enum([...rules]);

const ReasonSchema = Type.Object(
  {
    rule: RuleSchema,
    scope: ScopeSchema,
    outcome: Type.Enum(['SOFT_BLOCK', 'HARD_BLOCK']),
    level: Level,
    until: Millis('ms'),
  },
  { $id: 'Reason' },
);

/** A decision, as replay prints it, without `t`. */
export const DecisionSchema = Type.Object(
  {
    outcome: Type.Enum(['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK']),
    level: Level,
    until: Millis('When the block ends, ms of the store’s clock; 0 for ALLOW.'),
    retryAfterMs: Millis('Until then; 0 for ALLOW.'),
    rule: Type.Union([Type.Null(), RuleSchema]),
    scope: Type.Union([Type.Null(), ScopeSchema]),
    deferred: Type.Boolean({
      description: 'Verify the credentials all the same; only wrong ones get the block.',
    }),
    mode: Type.Enum(['NORMAL', 'FAIL_CLOSED', 'FAIL_OPEN', 'DEGRADED']),
    reasons: Type.Array(ReasonSchema),
    shadow: Type.Optional(
      Type.Array(ReasonSchema, {
        description: 'What rules in shadow would have added; absent where nothing.',
      }),
    ),
  },
  { $id: 'Decision' },
);

/** A block that runs. Its id holds hashes only. */
export const BlockSchema = Type.Object(
  {
    id: Type.String(),
    policy: Type.String({ description: 'Of a client of the gateway: `limits.<name>`.' }),
    scope: Type.Enum([...scopes, 'U'], { description: '`U` is a signed-in user of the gateway.' }),
    outcome: Type.Enum(['SOFT_BLOCK', 'HARD_BLOCK']),
    level: Level,
    until: Millis('ms'),
  },
  { $id: 'Block' },
);

/** What an operator did. */
export const AuditSchema = Type.Object(
  {
    at: Millis('ms'),
    what: Type.String(),
    block: Type.String(),
    by: Type.String(),
    why: Type.String(),
    until: Type.Union([Type.Null(), Millis('ms')]),
    unsure: Type.Optional(
      Type.Boolean({
        description:
          'Nobody knows whether it was done: the store failed, or it is under way. Absent elsewhere.',
      }),
    ),
  },
  { $id: 'AuditAct' },
);

const Note = (description: string) => Text(mostNoteChars, description);

/** Who acts, and why. */
export const noteFields = {
  by: Type.Optional(
    Note('Who does it. Default: the name of the token; required where no tokens are configured.'),
  ),
  why: Note('Why; kept in the audit trail.'),
};

/** Those of them that a route asks for where no token says who acts. */
export const notedWithoutToken: readonly string[] = ['by'];
