import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { ConfigChange } from '../config/config-change.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { Guard } from '../guard/guard.ts';
import type { Limiter } from '../limits/index.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { DecisionTally } from './decision-tally.ts';
import { roomsOf } from './default-rooms.ts';
import { firstReach } from './first-reach.ts';
import { Access } from './http/access.ts';
import { boundsOf, type ConnectionBounds } from './http/bounds.ts';
import { Entrance } from './http/entrance.ts';
import { FrontDoor } from './http/front-door.ts';
import { HttpListener } from './http/listener.ts';
import { Router } from './http/router.ts';
import { readFiles } from './http/static-files.ts';
import { TokenBook } from './http/token-book.ts';
import { LiveCore } from './live-core.ts';
import { nameRoutes, type Observation, openObservation } from './observation.ts';
import { openServiceStore, type StoreKind } from './open-store.ts';
import { openTracing } from './open-tracing.ts';
import type { OpenRoom, Room, RoomParts } from './rooms.ts';
import type { Route } from './route.ts';
import { authorizeRoutes } from './routes/authorize.ts';
import { batchRoutes } from './routes/batch.ts';
import { blockRoutes } from './routes/blocks.ts';
import { clientRoutes } from './routes/clients.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { eventRoutes } from './routes/events.ts';
import { explainRoutes } from './routes/explain.ts';
import { healthRoutes } from './routes/health.ts';
import { observeRoutes } from './routes/observe.ts';
import { pinRoutes } from './routes/pins.ts';
import { metricsRoutes, openApiRoutes } from './routes/self-description.ts';
import { statusRoutes } from './routes/status.ts';
import { targetRoutes } from './routes/targets.ts';
import { openSecrets } from './secrets.ts';
import { StorePulse } from './store-pulse.ts';
import { TargetBook } from './target-book.ts';
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
  /** Takes over what can change without a restart. Throws `CONFIG_INVALID` and changes nothing when it cannot. */
  apply(change: ConfigChange): void;
  /** Tells that a configuration was refused, and how many problems it had. The last good one stays. */
  refused(problems: number): void;
  /** Drains: what has been accepted is answered, then everything is closed. Takes a bounded time. */
  close(): Promise<void>;
}

/**
 * Puts a service together: store, guard, limiter, scenarios, routes, listeners. Nothing is served before `listen`.
 *
 * @throws Fault `CONFIG_INVALID` when the configuration or the key file does not make sense.
 */
export async function createService(config: ServiceConfig, parts: ServiceParts = {}): Promise<Service> {
  const { log = createLog({ level: config.telemetry.logLevel }) } = parts;
  const { isNew: madeSecret, ...secrets } = openSecrets(config.keyFile);
  const opened = await openServiceStore(config, ({ code }) =>
    log.warn({ code }, 'the store failed in the background'),
  );
  const version = packageVersion();
  const observation = openObservation(config, log, version);
  const core = new LiveCore(config, opened, secrets, observation);
  const { guard, limiter } = core;
  const storeReached = await firstReach(opened, log);
  await core.pins.start();
  const trace = await openTracing(config, observation, guard, version);
  const tokens = new TokenBook(config.tokens);
  const roomParts = { config, guard, limiter, store: opened.store, secrets, tokens, observation };
  const rooms = await openRooms({ ...roomParts, scenarios: () => core.scenarios }, parts.rooms);
  const pulse = new StorePulse(opened.store, () => performance.now());
  const tally = new DecisionTally(guard);
  const targets = new TargetBook(() => performance.now());
  observation.metrics.followTargets(() => targets.counts());
  const isDraining = () => listener.isDraining;
  const routes: Route[] = [
    ...coreRoutes(core, observation),
    ...healthRoutes({ storeAnswers: () => pulse.answers(), isDraining }),
    ...statusRoutes({
      config: () => core.config,
      guard,
      limiter,
      scenarios: () => core.scenarios,
      store: opened.kind,
      storeAnswers: () => pulse.answers(),
      decisions: () => tally.counts(),
      feed: () => observation.feed.counts(),
      targets: () => targets.counts(),
      isDraining,
      version,
      startedAt: Date.now(),
      clock: Date.now,
      rooms: () => Object.fromEntries(rooms.map((room) => [room.name, room.status?.() ?? {}])),
    }),
    ...targetRoutes(targets),
    ...rooms.flatMap((room) => room.routes ?? []),
    ...openApiRoutes(() => routes, version),
  ];
  nameRoutes(observation.metrics, routes);
  const ending = new AbortController();
  // Every stream and every call that is held back listens, as many as there are connections.
  setMaxListeners(0, ending.signal);
  const entrance = new Entrance(config, ({ code, message }) => log.warn({ code }, message));
  const files = config.console.enabled ? readFiles(parts.consoleFolder ?? builtConsole) : () => null;
  const door = new FrontDoor({
    router: new Router(routes, config.listen.maxBodyBytes),
    access: new Access(tokens),
    addressOf: entrance.addressOf,
    isTrusted: entrance.isTrusted,
    ending: ending.signal,
    isDraining,
    onAnswered: (answered) => observation.metrics.http(answered),
    onFault: (error, route) => log.error({ route, error }, 'a request met a fault of ours'),
    clock: () => performance.now(),
    trace,
    files,
  });
  const listener = new HttpListener(door.respond, boundsOf(config.listen, parts.bounds), {
    dropped: () => log.warn({}, 'a connection was closed: there are too many'),
    malformed: (code) => observation.metrics.http({ method: code, route: null, status: 400, durationMs: 0 }),
  });
  return {
    guard,
    limiter,
    routes,
    storeKind: opened.kind,
    madeSecret,
    storeReached,
    hasConsole: files('/') !== null,
    listen: async () => {
      const others = await Promise.all(rooms.map((room) => room.start?.()));
      const { address, port, family } = await listener.listen(config.listen.host, config.listen.port);
      const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
      return { host: address, port, url, others: others.filter((line) => line !== undefined) };
    },
    apply: ({ config: next, live, needsRestart }) => {
      entrance.replace(next);
      core.apply(next, live);
      tokens.replace(next.tokens);
      log.setLevel(next.telemetry.logLevel);
      for (const room of rooms) room.apply?.(next, live);
      observation.metrics.configReload(needsRestart.length > 0 ? 'restart' : 'applied');
      observation.feed.publish('config', { what: 'applied', live, needsRestart });
    },
    refused: (problems) => {
      observation.metrics.configReload('refused');
      observation.feed.publish('config', { what: 'refused', problems });
    },
    close: once(() => end({ listener, rooms, core, observation, ending, trace })),
  };
}

const builtConsole = fileURLToPath(new URL('../console', import.meta.url));

async function openRooms(parts: RoomParts, others: readonly OpenRoom[] = []): Promise<readonly Room[]> {
  const openers = [...(await roomsOf(parts.config)), ...others];
  return (await Promise.all(openers.map((open) => open(parts)))).filter((room) => room !== null);
}

function coreRoutes(core: LiveCore, { feed, metrics, log }: Observation): Route[] {
  const { guard, limiter, pins } = core;
  return [
    ...decisionRoutes(guard),
    ...batchRoutes(guard),
    ...authorizeRoutes({
      limiter,
      headers: () => core.config.limits,
      scenarios: () => core.scenarios,
      onFault: (error) => log.error({ error }, 'scenarios could not judge a request'),
    }),
    ...observeRoutes(() => core.scenarios),
    ...blockRoutes(guard),
    ...clientRoutes({ limiter, scenarios: () => core.scenarios, audit: core.audit }),
    ...explainRoutes(guard),
    ...pinRoutes(pins),
    ...eventRoutes(feed),
    ...metricsRoutes(metrics),
  ];
}

interface EndingParts {
  readonly listener: HttpListener;
  readonly rooms: readonly Room[];
  readonly core: LiveCore;
  readonly observation: Observation;
  readonly ending: AbortController;
  readonly trace: { close(): Promise<void> } | null;
}

/** Streams end first, because nobody else would end them; the store goes last, when nothing asks it any more. */
async function end({ listener, rooms, core, observation, ending, trace }: EndingParts): Promise<void> {
  observation.feed.close();
  const [cut] = await Promise.all([listener.drain(), ...rooms.map((room) => room.close?.())]);
  if (cut > 0) observation.log.warn({ count: cut }, 'connections were cut at the end of the drain');
  ending.abort();
  await core.close();
  await trace?.close();
}

/** Ending twice is ending once. */
function once(act: () => Promise<void>): () => Promise<void> {
  let acted: Promise<void> | null = null;
  return () => {
    acted ??= act();
    return acted;
  };
}
