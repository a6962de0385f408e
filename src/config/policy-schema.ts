import Type from 'typebox';
import { DAY_MS } from '../core/duration.ts';
import { blockingRules } from '../core/policy.ts';
import { choice, type Fields, optionalFields, strict } from './fields.ts';

/**
 * What a policy file may say. Everything is optional: what is not said keeps the value of the engine contract. Field
 * names are those of the core's policies; times are in milliseconds.
 */

const Count = Type.Integer({ minimum: 1, maximum: 10_000 });
/** A correlation of fewer than two would fire on everybody. */
const Several = Type.Integer({ minimum: 2, maximum: 10_000 });
const Score = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const Milliseconds = Type.Integer({ minimum: 1, maximum: 366 * DAY_MS });
const Level = Type.Integer({ minimum: 1, maximum: 6 });
const Levels = Type.Array(Milliseconds, { minItems: 6, maxItems: 6 });

const part = (fields: Fields) => Type.Optional(optionalFields(fields));

const correlation = { count: Several, windowMs: Milliseconds };
const threshold = part({ children: Several, accounts: Several });

/** Rules that decide and tell, but never block. */
export const ShadowList = Type.Array(choice(blockingRules), { maxItems: blockingRules.length });

const frame = {
  actions: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1 })),
  ownerLane: Type.Optional(Type.Boolean()),
  shadow: Type.Optional(ShadowList),
  ladder: part({
    durationsMs: Levels,
    memoryMs: Levels,
    maxLevel: Level,
    maxAdvisoryLevel: Level,
    cycleMs: Milliseconds,
    decayPauseMs: Milliseconds,
  }),
  caps: part({
    accountDevices: Count,
    newAccountDevices: Count,
    newAccountDevicesMs: Milliseconds,
    networkDevices: Count,
    networkAgents: Count,
    networkSightsMs: Milliseconds,
    bookDevices: Count,
  }),
  retention: part({ recordMs: Milliseconds, bookMs: Milliseconds }),
};

const credential = {
  score: part({
    knownDevice: Score,
    newDevice: Score,
    missingDevice: Score,
    missingDeviceAgain: Score,
    sprayedAccount: Score,
    missingDeviceAgainMs: Milliseconds,
    softFrom: Score,
    hardFrom: Score,
    severeFrom: Score,
    decayMs: part({ account: Milliseconds, accountDevice: Milliseconds, network: Milliseconds }),
  }),
  budget: part({
    threshold: Count,
    epochMs: Milliseconds,
    cooldownMs: Milliseconds,
    level: Level,
    trustedLevel: Level,
    countsEveryFailure: Type.Boolean(),
    knownDeviceGrace: Count,
    shownAtCheck: Type.Boolean(),
    guardLevel: Type.Union([Level, Type.Null()]),
  }),
  correlation: part({
    watchMs: Milliseconds,
    spray: Type.Union([optionalFields(correlation), Type.Null()]),
    rotation: part(correlation),
    rotationRepeat: part({ ...correlation, level: Level }),
    dilution: part({ ...correlation, confirmFromMs: Milliseconds, confirmUntilMs: Milliseconds }),
    churn: part(correlation),
    flood: part({ ...correlation, runsMs: Milliseconds, capacity: Count }),
    equilibrium: part(correlation),
    prefixes: Type.Union([
      optionalFields({
        windowMs: Milliseconds,
        childCapacity: Count,
        p48: threshold,
        p40: threshold,
        p32: threshold,
      }),
      Type.Null(),
    ]),
  }),
};

const rate = { limits: part({ minor: Count, moderate: Count, severe: Count }) };

const CredentialOverride = Type.Object({ ...frame, ...credential }, strict);
const RateOverride = Type.Object({ ...frame, ...rate }, strict);

/** A policy of the user's own: one of the built-in ones under another name, for other actions. */
export const schemaOfKind = {
  credential: Type.Object({ extends: Type.Optional(Type.String()), ...frame, ...credential }, strict),
  rate: Type.Object({ extends: Type.Optional(Type.String()), ...frame, ...rate }, strict),
} as const;

export const builtInSchemas = {
  login: CredentialOverride,
  otp: CredentialOverride,
  api: RateOverride,
} as const;
