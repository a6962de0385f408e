import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createClientAddress } from '../adapters/client-address.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { Guard } from '../guard/guard.ts';
import { createGuard } from '../index.ts';
import { addressOf, CidrSet } from '../limits/cidr-set.ts';
import { createLimiter, type Limiter } from '../limits/index.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { DecisionTally } from './decision-tally.ts';
import { firstReach } from './first-reach.ts';
import { Access } from './http/access.ts';
import { boundsOf, type ConnectionBounds } from './http/bounds.ts';
import { FrontDoor } from './http/front-door.ts';
import { HttpListener } from './http/listener.ts';
import { Router } from './http/router.ts';
import { readFiles } from './http/static-files.ts';
import { TokenBook } from './http/token-book.ts';
import {
  countedLimiter,
  limitListener,
  nameRoutes,
  type Observation,
  observeGuard,
  openObservation,
} from './observation.ts';
import { type OpenedStore, openServiceStore, type StoreKind } from './open-store.ts';
import type { OpenRoom, Room, RoomParts } from './rooms.ts';
import type { Route } from './route.ts';
import { authorizeRoutes } from './routes/authorize.ts';
import { batchRoutes } from './routes/batch.ts';
import { blockRoutes } from './routes/blocks.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { eventRoutes } from './routes/events.ts';
import { explainRoutes } from './routes/explain.ts';
import { healthRoutes } from './routes/health.ts';
import { metricsRoutes, openApiRoutes } from './routes/self-description.ts';
import { statusRoutes } from './routes/status.ts';
import { openSecrets } from './secrets.ts';
import { StorePulse } from './store-pulse.ts';
import { packageVersion } from './version.ts';

/** What a host may hand in. */
export interface ServiceParts {
  /** Default: lines of JSON on stdout, at the level of the configuration. */
  readonly log?: Log;
  /** Parts of the service besides those the configuration asks for. */
  readonly rooms?: readonly OpenRoom[];
  /** Bounds of connections besides those of the configuration. */
  readonly bounds?: Partial<ConnectionBounds>;
  /** The built console. Default: where the build leaves it. */
  readonly consoleFolder?: string;
}

/** Where a service can be reached. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** What else listens, a line for each. */
  readonly others: readonly string[];
}

/** A running decision service. */
export interface Service {
  readonly guard: Guard;
  readonly limiter: Limiter;
  readonly routes: readonly Route[];
  readonly storeKind: StoreKind;
  /** Whether the secret was made at this start. */
  readonly madeSecret: boolean;
  /** Whether the store was reached at the start. Without it decisions are made as the engine contract says. */
  readonly storeReached: boolean;
  /** Whether the console is there and enabled. */
  readonly hasConsole: boolean;
  /** Takes requests from now on. */
  listen(): Promise<ServiceAddress>;
  /** Drains: what has been accepted is answered, then everything is closed. Takes a bounded time. */
  close(): Promise<void>;
}

/**
 * Puts a service together: store, guard, limiter, routes, listeners. Nothing is served before `listen`.
 *
 * @throws Fault `CONFIG_INVALID` when the configuration or the key file does not make sense.
 */
export async function createService(config: ServiceConfig, parts: ServiceParts = {}): Promise<Service> {
  const { log = createLog({ level: config.telemetry.logLevel }), rooms: openers = [] } = parts;
  const { isNew: madeSecret, ...secrets } = openSecrets(config.keyFile);
  const opened = await openServiceStore(config, ({ code }) =>
    log.warn({ code }, 'the store failed in the background'),
  );
  const version = packageVersion();
  const observation = openObservation(config, log, version);
  const roomParts = openParts(config, opened, secrets, observation);
  const storeReached = await firstReach(opened, log);
  const rooms = (await Promise.all(openers.map((open) => open(roomParts)))).filter((room) => room !== null);
  const files = config.console.enabled ? readFiles(parts.consoleFolder ?? builtConsole) : null;
  const pulse = new StorePulse(opened.store, () => performance.now());
  const tally = new DecisionTally(roomParts.guard);
  const startedAt = Date.now();
  const isDraining = () => listener.isDraining;
  const routes: Route[] = [
    ...coreRoutes(roomParts),
    ...healthRoutes({ storeAnswers: () => pulse.answers(), isDraining }),
    ...statusRoutes({
      config: () => config,
      guard: roomParts.guard,
      limiter: roomParts.limiter,
      store: opened.kind,
      storeAnswers: () => pulse.answers(),
      decisions: () => tally.counts(),
      feed: () => observation.feed.counts(),
      isDraining,
      version,
      startedAt,
      clock: Date.now,
      rooms: () => Object.fromEntries(rooms.map((room) => [room.name, room.status?.() ?? {}])),
    }),
    ...rooms.flatMap((room) => room.routes ?? []),
    ...openApiRoutes(() => routes, version),
  ];
  nameRoutes(observation.metrics, routes);
  const ending = new AbortController();
  const door = openDoor({ config, routes, observation, files, ending: ending.signal, isDraining });
  const listener = new HttpListener(door.respond, boundsOf(config.listen, parts.bounds), {
    dropped: () => log.warn({}, 'a connection was closed: there are too many'),
    malformed: () => observation.metrics.http({ method: 'none', route: null, status: 400, durationMs: 0 }),
  });
  return {
    guard: roomParts.guard,
    limiter: roomParts.limiter,
    routes,
    storeKind: opened.kind,
    madeSecret,
    storeReached,
    hasConsole: files?.('/') !== null && files !== null,
    listen: async () => {
      const others = await Promise.all(rooms.map((room) => room.start?.()));
      const { address, port, family } = await listener.listen(config.listen.host, config.listen.port);
      const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
      return { host: address, port, url, others: others.filter((line) => line !== undefined) };
    },
    close: once(() => end(listener, rooms, roomParts, ending)),
  };
}

const builtConsole = fileURLToPath(new URL('../console', import.meta.url));

function openParts(
  config: ServiceConfig,
  { store, keepsDeadlines }: OpenedStore,
  secrets: RoomParts['secrets'],
  observation: Observation,
): RoomParts {
  const { environment, policies, failure, limits } = config;
  const guard = createGuard({
    ...secrets,
    store,
    policies,
    environment,
    failure: keepsDeadlines ? { ...failure, deadlineMs: null } : failure,
    allowEventEvery: config.telemetry.allowEventEvery,
  });
  observeGuard(observation, guard);
  const limiter = createLimiter({
    ...limits,
    ...secrets,
    store,
    environment,
    onEvent: limitListener(observation, limits.name),
    warn: ({ code, message }) => observation.log.warn({ code }, message),
  });
  return {
    config,
    guard,
    limiter: countedLimiter(limiter, observation.metrics),
    store,
    secrets,
    observation,
  };
}

function coreRoutes({ config, guard, limiter, observation }: RoomParts): Route[] {
  return [
    ...decisionRoutes(guard),
    ...batchRoutes(guard),
    ...authorizeRoutes({ limiter, headers: config.limits }),
    ...blockRoutes(guard),
    ...explainRoutes(guard),
    ...eventRoutes(observation.feed),
    ...metricsRoutes(observation.metrics),
  ];
}

interface DoorParts {
  readonly config: ServiceConfig;
  readonly routes: readonly Route[];
  readonly observation: Observation;
  readonly files: ReturnType<typeof readFiles> | null;
  readonly ending: AbortSignal;
  readonly isDraining: () => boolean;
}

function openDoor({ config, routes, observation, files, ending, isDraining }: DoorParts): FrontDoor {
  const { log, metrics } = observation;
  const { trustedProxies, forwardingHeader } = config;
  const proxies = new CidrSet(
    'trustedProxies',
    trustedProxies.filter((proxy) => proxy !== 'unix'),
  );
  return new FrontDoor({
    router: new Router(routes, config.listen.maxBodyBytes),
    access: new Access(new TokenBook(config.tokens)),
    addressOf: createClientAddress({
      trustedProxies,
      forwardingHeader,
      warn: ({ code, message }) => log.warn({ code }, message),
    }),
    isTrusted: (peer) => proxies.has(addressOf(peer) ?? ''),
    ending,
    isDraining,
    onAnswered: (answered) => metrics.http(answered),
    onFault: (error, route) => log.error({ route, error }, 'a request met a fault of ours'),
    clock: () => performance.now(),
    files: files ?? (() => null),
  });
}

/** Streams end first, because nobody else would end them; the store goes last, when nothing asks it any more. */
async function end(
  listener: HttpListener,
  rooms: readonly Room[],
  { guard, observation }: RoomParts,
  ending: AbortController,
): Promise<void> {
  observation.feed.close();
  const [cut] = await Promise.all([listener.drain(), ...rooms.map((room) => room.close?.())]);
  if (cut > 0) observation.log.warn({ count: cut }, 'connections were cut at the end of the drain');
  ending.abort();
  await guard.close();
}

/** Ending twice is ending once. */
function once(act: () => Promise<void>): () => Promise<void> {
  let acted: Promise<void> | null = null;
  return () => {
    acted ??= act();
    return acted;
  };
}
