import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { ConfigChange } from '../config/config-change.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { keepTick } from '../connections/kept-tick.ts';
import { Fault } from '../core/fault.ts';
import type { Guard } from '../guard/guard.ts';
import type { Limiter } from '../limits/index.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import type { Tracing } from '../telemetry/otel/tracing.ts';
import { firstReach } from './first-reach.ts';
import { Access } from './http/access.ts';
import { boundsOf } from './http/bounds.ts';
import { Entrance } from './http/entrance.ts';
import { FrontDoor } from './http/front-door.ts';
import { HttpListener } from './http/listener.ts';
import { Router } from './http/router.ts';
import { type Files, readFiles } from './http/static-files.ts';
import { TokenBook } from './http/token-book.ts';
import { LiveCore } from './live-core.ts';
import { nameRoutes, type Observation, openObservation } from './observation.ts';
import { OpenParts } from './open-parts.ts';
import { openRooms, startRooms } from './open-rooms.ts';
import { openServiceStore, type StoreKind } from './open-store.ts';
import { openTracing } from './open-tracing.ts';
import { rehearse } from './rehearsal.ts';
import type { Room } from './rooms.ts';
import type { Route } from './route.ts';
import { warnOfOtherSecret } from './secret-marks.ts';
import { isOtherKeyFile, makeSecrets, readSecrets } from './secrets.ts';
import { assertParts, type ServiceParts } from './service-parts.ts';
import { serviceRoutes } from './service-routes.ts';
import { packageVersion } from './version.ts';

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
  /** Whether the key file holds other secrets than those in use: only a restart takes them over. */
  hasOtherKeyFile(): boolean;
  /** Tells that a configuration was refused, and how many problems it had. The last good one stays. */
  refused(problems: number): void;
  /** Drains: what has been accepted is answered, then everything is closed. Takes a bounded time. */
  close(): Promise<void>;
}

/**
 * Puts a service together: store, guard, limiter, scenarios, routes, listeners. Nothing is served before `listen`, and
 * nothing stays open where it fails.
 *
 * @throws Fault `CONFIG_INVALID` when the configuration or the key file does not make sense, or a part is unknown or another.
 */
export async function createService(config: ServiceConfig, parts: ServiceParts = {}): Promise<Service> {
  assertParts(config, parts);
  keepTick();
  const { log = createLog({ level: config.telemetry.logLevel }) } = parts;
  const open = new OpenParts((error) => log.error({ error }, 'a part of the service did not end well'));
  try {
    return await putTogether(config, { ...parts, log }, open);
  } catch (cause) {
    await open.close();
    throw cause;
  }
}

/** What is opened first ends last: the store when nothing asks it any more, the logs when nothing tells them more. */
async function putTogether(
  config: ServiceConfig,
  parts: ServiceParts & { readonly log: Log },
  open: OpenParts,
): Promise<Service> {
  const { log } = parts;
  const version = packageVersion();
  const known = readSecrets(config.keyFile);
  const observation = openObservation(config, log, version);
  open.add(() => observation.decisionLog?.close());
  const trace = await openTracing(config, observation, version);
  open.add(() => trace?.close());
  const opened = await openServiceStore(config, ({ code }) =>
    log.warn({ code }, 'the store failed in the background'),
  );
  open.add(() => opened.store.close());
  const storeReached = await firstReach(opened, log);
  // A start that fails for want of a driver makes none: the next one would not say that there is a new secret to keep.
  const { isNew: madeSecret, ...secrets } = known ?? makeSecrets(config.keyFile);
  const core = new LiveCore(config, opened, secrets, observation);
  open.add(() => core.close());
  const { guard, limiter } = core;
  trace?.observeGuard(guard);
  await core.pins.start();
  // One that keeps its deadlines is in this process, or waits long enough for the slowest beginning.
  if (storeReached && !opened.keepsDeadlines) await rehearse(opened.store, config.policies);
  // After that, for the first call of a process may take longer than a deadline. Nobody shares a memory.
  if (storeReached && opened.kind !== 'memory') await warnOfOtherSecret(opened.store, config, secrets, log);
  const tokens = new TokenBook(config.tokens);
  const ending = endingOf(open);
  // What callers come in by ends at the same time: each of them takes its time for the drain.
  const doors = open.together();
  const scenarios = () => core.scenarios;
  const pinned = (policy: string) => core.pins.current.failureOf(policy);
  const bounds = boundsOf(config.listen, parts.bounds);
  const { graceMs } = bounds;
  const { store } = opened;
  const judges = { guard, limiter, scenarios, pinned };
  const roomParts = { config, store, secrets, tokens, observation, graceMs, ...judges };
  const rooms = await openRooms(roomParts, doors, parts.rooms);
  const isDraining = () => listener.isDraining;
  const entrance = new Entrance(config, ({ code, message }) => log.warn({ code }, message));
  const routes = serviceRoutes({ core, entrance, opened, observation, rooms, isDraining, version });
  nameRoutes(observation.metrics, routes);
  const files = config.console.enabled ? readFiles(parts.consoleFolder ?? builtConsole) : () => null;
  const door = openDoor({ config, routes, tokens, entrance, ending, isDraining, observation, trace, files });
  const listener = new HttpListener(door.respond, bounds, {
    dropped: () => log.warn({}, 'a connection was closed: there are too many'),
    malformed: (status) => observation.metrics.http({ method: '', route: null, status, durationMs: 0 }),
  });
  doors.push(() => drain(listener, observation));
  let opening: Promise<unknown> | null = null;
  let isClosed = false;
  return {
    guard,
    limiter,
    routes,
    storeKind: opened.kind,
    madeSecret,
    storeReached,
    hasConsole: files('/') !== null,
    listen: async () => {
      if (isClosed) throw new Fault('STORE_CLOSED', 'The service was told to listen after it was closed.');
      const listening = openAll(rooms, listener, config.listen);
      opening = listening;
      return listening;
    },
    apply: ({ config: next, live, needsRestart }) => {
      // All that may throw comes before anything has changed.
      const takeOver = [
        proxyParts.some((part) => live.includes(part)) ? entrance.prepare(next) : undefined,
        ...rooms.map((room) => room.prepare?.(next, live)),
        core.prepare(next, live),
      ];
      for (const take of takeOver) take?.();
      tokens.replace(next.tokens);
      // Who reads events was let in by a token of before: all come back, and are asked again.
      if (live.includes('tokens')) observation.feed.endSubscriptions();
      log.setLevel(next.telemetry.logLevel);
      observation.metrics.configReload(needsRestart.length > 0 ? 'restart' : 'applied');
      observation.feed.publish('config', { what: 'applied', live, needsRestart });
    },
    hasOtherKeyFile: () => isOtherKeyFile(config.keyFile, secrets),
    refused: (problems) => {
      observation.metrics.configReload('refused');
      observation.feed.publish('config', { what: 'refused', problems });
    },
    close: async () => {
      isClosed = true;
      // What is still on its way could not be ended.
      await Promise.allSettled([opening]);
      const failures = await open.close();
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The parts of a configuration that say whose word counts about where a request comes from. */
const proxyParts = ['trustedProxies', 'forwardingHeader'] as const;

const builtConsole = fileURLToPath(new URL('../console', import.meta.url));

/** Aborted once the doors are shut, for what is still held back. */
function endingOf(parts: OpenParts): AbortSignal {
  const ending = new AbortController();
  // Every stream and every call that is held back listens, as many as there are connections.
  setMaxListeners(0, ending.signal);
  parts.add(() => ending.abort());
  return ending.signal;
}

async function openAll(
  rooms: readonly Room[],
  listener: HttpListener,
  { host, port: wanted }: ServiceConfig['listen'],
): Promise<ServiceAddress> {
  const others = await startRooms(rooms);
  const { address, port, family } = await listener.listen(host, wanted);
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return { host: address, port, url, others };
}

interface DoorParts {
  readonly config: ServiceConfig;
  readonly routes: readonly Route[];
  readonly tokens: TokenBook;
  readonly entrance: Entrance;
  readonly ending: AbortSignal;
  readonly isDraining: () => boolean;
  readonly observation: Observation;
  readonly trace: Tracing | null;
  readonly files: Files;
}

function openDoor({ config, routes, tokens, entrance, observation, ...others }: DoorParts): FrontDoor {
  const { log, metrics } = observation;
  return new FrontDoor({
    ...others,
    router: new Router(routes, config.listen.maxBodyBytes),
    access: new Access(tokens, () =>
      log.warn({ code: 'LOOPBACK_ONLY' }, 'somebody came through a proxy: a service behind one needs tokens'),
    ),
    shownBy: entrance.shownBy,
    isTrusted: entrance.isTrusted,
    onAnswered: (answered) => metrics.http(answered),
    onFault: (error, route) => log.error({ route, error }, 'a request met a fault of ours'),
    clock: () => performance.now(),
  });
}

/** Streams end first, because nobody else would end them. */
async function drain(listener: HttpListener, { feed, log }: Observation): Promise<void> {
  feed.close();
  const cut = await listener.drain();
  if (cut > 0) log.warn({ count: cut }, 'connections were cut at the end of the drain');
}
