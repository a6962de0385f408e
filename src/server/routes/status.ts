import Type from 'typebox';
import type { ScenarioCounts, Scenarios } from '../../abuse/index.ts';
import { publicConfig } from '../../config/public-config.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import type { PolicyStatus } from '../../guard/failure/policy-mode.ts';
import type { Limiter } from '../../limits/index.ts';
import { anonymousLimit } from '../../limits/limit-book.ts';
import type { FeedCounts } from '../../telemetry/live-feed.ts';
import type { DecisionCounts } from '../decision-tally.ts';
import type { ServicePressure } from '../gateway-pressure.ts';
import type { StoreKind } from '../open-store.ts';
import type { Route, RouteCall } from '../route.ts';
import type { TargetCounts } from '../target-book.ts';

/** What the service says about itself is read from here, anew for every call. */
export interface StatusParts {
  readonly config: () => ServiceConfig;
  /** Of the policies, and of what else decides here. */
  readonly modes: () => readonly PolicyStatus[];
  readonly limiter: Limiter;
  /** Of the services behind the gateway. */
  readonly pressures: () => readonly ServicePressure[];
  /** Null where they are off. */
  readonly scenarios: () => Scenarios | null;
  /** Since the start; null where they are off. */
  readonly scenarioCounts: () => ScenarioCounts | null;
  readonly store: StoreKind;
  readonly storeAnswers: () => Promise<boolean>;
  readonly decisions: () => DecisionCounts;
  readonly feed: () => FeedCounts;
  readonly targets: () => TargetCounts;
  readonly isDraining: () => boolean;
  readonly version: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly clock: () => number;
  /** What other parts of the service say of themselves, by their names: kratos, grpc. */
  readonly rooms: () => Readonly<Record<string, unknown>>;
}

const StatusSchema = Type.Object(
  {
    at: Type.Integer({ description: 'ms, by the clock of this node' }),
    startedAt: Type.Integer(),
    version: Type.String(),
    environment: Type.String(),
    store: Type.String(),
    storeAnswers: Type.Boolean(),
    draining: Type.Boolean(),
    mayOperate: Type.Boolean({ description: 'Whether who asks may lift, place and pin.' }),
    modes: Type.Array(
      Type.Object({
        policy: Type.String(),
        mode: Type.Enum(['NORMAL', 'FAIL_CLOSED', 'FAIL_OPEN', 'DEGRADED']),
        since: Type.Union([Type.Null(), Type.Integer()]),
        fault: Type.Union([Type.Null(), Type.String()], {
          description: 'Why: the code of the last fault of the store; null in NORMAL.',
        }),
      }),
    ),
    policies: Type.Array(
      Type.Object({ name: Type.String(), kind: Type.String(), actions: Type.Array(Type.String()) }),
    ),
    limits: Type.Object(
      {},
      {
        description: 'Rates, route costs and counts of the gateway’s limiter; services with their pressure.',
      },
    ),
    decisions: Type.Object({}, { description: 'Counts by policy and outcome since the start.' }),
    scenarios: Type.Object({}, { description: 'Which scenarios run, and what they did.' }),
    feed: Type.Object({}, { description: 'Counts of the live feed.' }),
    targets: Type.Object(
      {},
      { description: 'How many service clients report, and their breakers by state.' },
    ),
  },
  { $id: 'Status' },
);

/** `GET /v1/status` and `GET /v1/config`: what the console needs. */
export function statusRoutes(parts: StatusParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/status',
      summary: 'Modes, limits with their route costs, and counts.',
      role: 'observe',
      answers: { 200: StatusSchema },
      handle: async (call) => ({ status: 200, body: await statusOf(parts, call) }),
    },
    {
      method: 'GET',
      path: '/v1/config',
      summary:
        'The configuration that is in force, without secrets and without whom limits are made for: users, addresses, values of descriptors.',
      role: 'observe',
      answers: { 200: Type.Object({}) },
      handle: () => ({ status: 200, body: publicConfig(parts.config()) }),
    },
  ];
}

async function statusOf(parts: StatusParts, { caller }: RouteCall): Promise<object> {
  const { limiter, clock, startedAt, version, store } = parts;
  const config = parts.config();
  return {
    at: Math.round(clock()),
    startedAt,
    version,
    environment: config.environment,
    store,
    storeAnswers: await parts.storeAnswers(),
    draining: parts.isDraining(),
    mayOperate: mayOperate(caller, config),
    modes: parts.modes(),
    policies: config.policies.map(({ name, kind, actions }) => ({ name, kind, actions })),
    limits: limitsOf(config, limiter, parts.pressures()),
    scenarios: scenariosOf(config, parts.scenarios(), parts.scenarioCounts()),
    decisions: parts.decisions(),
    feed: parts.feed(),
    targets: parts.targets(),
    ...parts.rooms(),
  };
}

/** Who needs no token to look needs none to act. */
function mayOperate(caller: RouteCall['caller'], { tokens }: ServiceConfig): boolean {
  return caller === null || tokens.some(({ name, role }) => name === caller && role === 'operate');
}

function scenariosOf(
  { scenarios: { list, shadow } }: ServiceConfig,
  scenarios: Scenarios | null,
  counts: ScenarioCounts | null,
): object {
  if (scenarios === null) return { enabled: false };
  const off = list.map(({ name }) => name).filter((name) => !scenarios.names.includes(name));
  return { enabled: true, names: scenarios.names, off, shadow, counts };
}

function limitsOf(
  { limits }: ServiceConfig,
  limiter: Limiter,
  pressures: readonly ServicePressure[],
): object {
  const { ratePerSecond, burst, anonymous, routes, otherCost, shadow, overrides } = limits;
  const signedIn = { ratePerSecond, burst };
  return {
    name: limiter.name,
    signedIn,
    anonymous: anonymousLimit(signedIn, anonymous),
    routes: routes.map(({ method = null, path, cost = 1, signIn = false }) => ({
      method,
      path,
      cost,
      signIn,
    })),
    otherCost,
    services: pressures.map(({ name, path = null, pressure }) => ({ name, path, pressure })),
    shadow,
    overrides: overrides.length,
    counts: limiter.counts(),
  };
}
