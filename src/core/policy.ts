import { type Rule, rules } from './decision.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts';

/**
 * The numbers of the engine contract as data. The defaults below are the contract's own values and the only
 * place they stand; a configuration may replace them, never the rules.
 */

/** A correlation window: `count` distinct entries within `windowMs` fire the rule (§8). */
export interface Correlation {
  readonly count: number;
  readonly windowMs: number;
}

/** Scores of one failure and what they lead to (§5). */
export interface ScorePolicy {
  readonly knownDevice: number;
  readonly newDevice: number;
  readonly missingDevice: number;
  readonly missingDeviceAgain: number;
  /** Added to K1 when spray sees one more account; 0 where spray is not watched. */
  readonly sprayedAccount: number;
  /** "Again" means: within this time. */
  readonly missingDeviceAgainMs: number;
  readonly softFrom: number;
  readonly hardFrom: number;
  readonly severeFrom: number;
  /** One point is forgotten per interval; doubled while the key remembers level 2 or more. */
  readonly decayMs: { readonly account: number; readonly accountDevice: number; readonly network: number };
}

/** Failure budget of an account (§7). */
export interface BudgetPolicy {
  readonly threshold: number;
  readonly epochMs: number;
  readonly cooldownMs: number;
  readonly level: number;
  readonly trustedLevel: number;
  /** Whether every failure counts, or only the eligible ones. */
  readonly countsEveryFailure: boolean;
  /** A known device's failures become eligible after this many within an epoch. */
  readonly knownDeviceGrace: number;
  readonly shownAtCheck: boolean;
  /** Level of the recovery guard's SOFT; null where there is no guard. */
  readonly guardLevel: number | null;
}

/** Correlation rules (§8, §9); `spray` and `prefixes` are null where the policy does not watch them. */
export interface CorrelationPolicy {
  readonly watchMs: number;
  readonly spray: Correlation | null;
  readonly rotation: Correlation;
  readonly rotationRepeat: Correlation & { readonly level: number };
  readonly dilution: Correlation & { readonly confirmFromMs: number; readonly confirmUntilMs: number };
  readonly churn: Correlation;
  readonly flood: Correlation & { readonly runsMs: number; readonly capacity: number };
  readonly equilibrium: Correlation;
  readonly prefixes: PrefixPolicy | null;
}

/** IPv6 macro prefixes (§9). */
export interface PrefixPolicy {
  readonly windowMs: number;
  readonly childCapacity: number;
  readonly p48: PrefixThreshold;
  readonly p40: PrefixThreshold;
  readonly p32: PrefixThreshold;
}

export interface PrefixThreshold {
  readonly children: number;
  readonly accounts: number;
}

/** Penalty ladder (§10). Index 0 is level 1. */
export interface LadderPolicy {
  readonly durationsMs: readonly number[];
  /** How long a level is remembered after a block before it falls by one. */
  readonly memoryMs: readonly number[];
  readonly maxLevel: number;
  /** Blocks that rest on an IP prefix alone are advisory and go no higher. */
  readonly maxAdvisoryLevel: number;
  /** A block within this time of the previous one's begin pauses the decay of the score. */
  readonly cycleMs: number;
  readonly decayPauseMs: number;
}

/** Bounds on what one account or network may make us remember (§6). */
export interface CapPolicy {
  readonly accountDevices: number;
  readonly newAccountDevices: number;
  readonly newAccountDevicesMs: number;
  readonly networkDevices: number;
  readonly networkAgents: number;
  readonly networkSightsMs: number;
  readonly bookDevices: number;
}

export interface RetentionPolicy {
  readonly recordMs: number;
  readonly bookMs: number;
}

interface PolicyFrame {
  readonly name: string;
  readonly actions: readonly string[];
  /** Whether a trusted device answers only for itself (§4). */
  readonly ownerLane: boolean;
  readonly ladder: LadderPolicy;
  readonly caps: CapPolicy;
  readonly retention: RetentionPolicy;
  /** Rules that decide and are told, but block nobody. Default: none. */
  readonly shadow?: readonly Rule[];
}

/** A policy over credentials: `check`, `fail`, `succeed`. */
export interface CredentialPolicy extends PolicyFrame {
  readonly kind: 'credential';
  readonly score: ScorePolicy;
  readonly budget: BudgetPolicy;
  readonly correlation: CorrelationPolicy;
}

/** A policy over calls: `check`, `consume` (§11). Limits are calls per minute. */
export interface RatePolicy extends PolicyFrame {
  readonly kind: 'rate';
  readonly limits: { readonly minor: number; readonly moderate: number; readonly severe: number };
}

export type Policy = CredentialPolicy | RatePolicy;

/** Rules that lead to a block, so that they can run in shadow. The others tell of one, or of the store. */
export const blockingRules: readonly Rule[] = rules.filter(
  (rule) => rule !== 'blocked' && rule !== 'degraded' && rule !== 'store',
);

/** Those of them that the policy has. */
export function rulesOf(policy: Policy): readonly Rule[] {
  return blockingRules.filter((rule) => hasRule(policy, rule));
}

function hasRule(policy: Policy, rule: Rule): boolean {
  const isOfCalls = rule === 'minor' || rule === 'moderate' || rule === 'severe';
  if (policy.kind === 'rate') return isOfCalls;
  if (rule === 'guard') return policy.budget.guardLevel !== null;
  if (rule === 'spray') return policy.correlation.spray !== null;
  if (rule === 'prefix') return policy.correlation.prefixes !== null;
  return !isOfCalls;
}

export function isInShadow({ shadow }: Pick<Policy, 'shadow'>, rule: Rule): boolean {
  return shadow?.includes(rule) ?? false;
}

const ladder: LadderPolicy = {
  durationsMs: [15 * SECOND_MS, 60 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 6 * HOUR_MS, 24 * HOUR_MS],
  memoryMs: [10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS],
  maxLevel: 6,
  maxAdvisoryLevel: 3,
  cycleMs: 6 * HOUR_MS,
  decayPauseMs: 10 * MINUTE_MS,
};

const caps: CapPolicy = {
  accountDevices: 16,
  newAccountDevices: 10,
  newAccountDevicesMs: 15 * MINUTE_MS,
  networkDevices: 50,
  networkAgents: 50,
  networkSightsMs: 15 * MINUTE_MS,
  bookDevices: 16,
};

const retention: RetentionPolicy = { recordMs: 72 * HOUR_MS, bookMs: 90 * DAY_MS };

const correlation: CorrelationPolicy = {
  watchMs: 30 * MINUTE_MS,
  spray: { count: 5, windowMs: 10 * MINUTE_MS },
  rotation: { count: 4, windowMs: 10 * MINUTE_MS },
  rotationRepeat: { count: 3, windowMs: DAY_MS, level: 4 },
  dilution: {
    count: 6,
    windowMs: 10 * MINUTE_MS,
    confirmFromMs: 10 * MINUTE_MS,
    confirmUntilMs: 20 * MINUTE_MS,
  },
  churn: { count: 4, windowMs: 10 * MINUTE_MS },
  flood: { count: 6, windowMs: 15 * MINUTE_MS, runsMs: 15 * MINUTE_MS, capacity: 16 },
  equilibrium: { count: 3, windowMs: 6 * HOUR_MS },
  prefixes: {
    windowMs: 10 * MINUTE_MS,
    childCapacity: 16,
    p48: { children: 2, accounts: 5 },
    p40: { children: 4, accounts: 20 },
    p32: { children: 8, accounts: 80 },
  },
};

const decayMs = { account: 10 * MINUTE_MS, accountDevice: 5 * MINUTE_MS, network: 3 * MINUTE_MS };

export const defaultLogin: CredentialPolicy = {
  kind: 'credential',
  name: 'login',
  actions: ['auth.login'],
  ownerLane: true,
  score: {
    knownDevice: 2,
    newDevice: 3,
    missingDevice: 4,
    missingDeviceAgain: 6,
    sprayedAccount: 5,
    missingDeviceAgainMs: 30 * MINUTE_MS,
    softFrom: 5,
    hardFrom: 8,
    severeFrom: 12,
    decayMs,
  },
  budget: {
    threshold: 20,
    epochMs: DAY_MS,
    cooldownMs: 60 * MINUTE_MS,
    level: 3,
    trustedLevel: 2,
    countsEveryFailure: false,
    knownDeviceGrace: 8,
    shownAtCheck: true,
    guardLevel: null,
  },
  correlation,
  ladder,
  caps,
  retention,
};

export const defaultOtp: CredentialPolicy = {
  kind: 'credential',
  name: 'otp',
  actions: ['auth.otp'],
  ownerLane: true,
  score: {
    knownDevice: 4,
    newDevice: 5,
    missingDevice: 6,
    missingDeviceAgain: 8,
    sprayedAccount: 0,
    missingDeviceAgainMs: 30 * MINUTE_MS,
    softFrom: 4,
    hardFrom: 7,
    severeFrom: 10,
    decayMs,
  },
  budget: {
    threshold: 10,
    epochMs: DAY_MS,
    cooldownMs: 120 * MINUTE_MS,
    level: 4,
    trustedLevel: 3,
    countsEveryFailure: true,
    knownDeviceGrace: 8,
    shownAtCheck: false,
    guardLevel: 2,
  },
  correlation: { ...correlation, spray: null, prefixes: null },
  ladder,
  caps,
  retention,
};

export const defaultApi: RatePolicy = {
  kind: 'rate',
  name: 'api',
  actions: ['api.heavy'],
  ownerLane: true,
  limits: { minor: 120, moderate: 300, severe: 600 },
  ladder: { ...ladder, maxLevel: 4 },
  caps,
  retention,
};

export const defaultPolicies: readonly Policy[] = [defaultLogin, defaultOtp, defaultApi];
