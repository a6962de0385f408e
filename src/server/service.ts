import { performance } from 'node:perf_hooks';
import { createClientAddress } from '../adapters/client-address.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { Fault } from '../core/fault.ts';
import type { Guard } from '../guard/guard.ts';
import { createGuard } from '../index.ts';
import { Access } from './http/access.ts';
import { type ConnectionBounds, defaultBounds } from './http/bounds.ts';
import { FrontDoor } from './http/front-door.ts';
import { HttpListener } from './http/listener.ts';
import { Router } from './http/router.ts';
import { TokenBook } from './http/token-book.ts';
import { openServiceStore, type StoreKind } from './open-store.ts';
import type { Route } from './route.ts';
import { batchRoutes } from './routes/batch.ts';
import { decisionRoutes } from './routes/decisions.ts';
import { healthRoutes } from './routes/health.ts';
import { openSecrets } from './secrets.ts';
import { type ServiceLog, silentLog } from './service-log.ts';
import { StorePulse } from './store-pulse.ts';

/** What a host may hand in. */
export interface ServiceParts {
  /** Default: nothing is written. */
  readonly log?: ServiceLog;
  /** Bounds of connections besides those of the configuration, for tests. */
  readonly bounds?: Partial<ConnectionBounds>;
}

/** Where a service can be reached. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

/** A running decision service. */
export interface Service {
  readonly guard: Guard;
  readonly storeKind: StoreKind;
  /** Whether the secret was made at this start. */
  readonly madeSecret: boolean;
  /** Whether the store was reached at the start. Without it decisions are made as the engine contract says. */
  readonly storeReached: boolean;
  /** Takes requests from now on. */
  listen(): Promise<ServiceAddress>;
  /** Drains: what has been accepted is answered, then everything is closed. Takes a bounded time. */
  close(): Promise<void>;
}

/** How long the first connection to the store is waited for. */
const firstReachMs = 2_000;

/**
 * Puts a service together: store, guard, routes, listener. Nothing is served before `listen`.
 *
 * @throws Fault `CONFIG_INVALID` when the configuration or the key file does not make sense.
 */
export async function createService(config: ServiceConfig, parts: ServiceParts = {}): Promise<Service> {
  const { log = silentLog } = parts;
  const secrets = openSecrets(config.keyFile);
  const opened = await openServiceStore(config, (fault) => {
    log.warn({ code: fault.code }, 'the store failed in the background');
  });
  const { secret, previousSecret, isNew } = secrets;
  const guard = createGuard({
    secret,
    ...(previousSecret === undefined ? {} : { previousSecret }),
    store: opened.store,
    policies: config.policies,
    environment: config.environment,
    failure: config.failure,
    allowEventEvery: config.telemetry.allowEventEvery,
  });
  const storeReached = await reach(opened.ready(), log);
  const pulse = new StorePulse(opened.store, () => performance.now());
  const ending = new AbortController();
  const routes: Route[] = [
    ...decisionRoutes(guard),
    ...batchRoutes(guard),
    ...healthRoutes({ storeAnswers: () => pulse.answers(), isDraining: () => listener.isDraining }),
  ];
  const door = new FrontDoor({
    router: new Router(routes),
    access: new Access(new TokenBook(config.tokens)),
    addressOf: createClientAddress({
      trustedProxies: config.trustedProxies,
      forwardingHeader: config.forwardingHeader,
      warn: ({ code, message }) => log.warn({ code }, message),
    }),
    ending: ending.signal,
    isDraining: () => listener.isDraining,
    onAnswered: () => {},
    onFault: (error, route) => log.error({ route, ...faultFields(error) }, 'a request met a fault of ours'),
    clock: () => performance.now(),
    files: () => null,
  });
  const listener = new HttpListener(door.respond, boundsOf(config, parts.bounds), {
    dropped: () => log.warn({}, 'a connection was closed: there are too many'),
    malformed: () => {},
  });
  return {
    guard,
    storeKind: opened.kind,
    madeSecret: isNew,
    storeReached,
    async listen() {
      const { address, port, family } = await listener.listen(config.listen.host, config.listen.port);
      const host = family === 'IPv6' ? `[${address}]` : address;
      return { host: address, port, url: `http://${host}:${port}` };
    },
    async close() {
      const cut = await listener.drain();
      if (cut > 0) log.warn({ connections: cut }, 'connections were cut at the end of the drain');
      ending.abort();
      await guard.close();
    },
  };
}

function boundsOf({ listen }: ServiceConfig, given: Partial<ConnectionBounds> = {}): ConnectionBounds {
  return {
    ...defaultBounds,
    headerBytes: listen.maxHeaderBytes,
    headersMs: listen.requestTimeoutMs,
    requestMs: listen.requestTimeoutMs,
    idleMs: listen.keepAliveTimeoutMs,
    connections: listen.maxConnections,
    drainMs: listen.drainMs,
    ...given,
  };
}

/** A store that is away is told and lived with; one that cannot be (its driver is not installed) is not. */
async function reach(ready: Promise<void>, log: ServiceLog): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fault = new Fault('STORE_TIMEOUT', `The store was not reached within ${firstReachMs} ms.`);
    timer = setTimeout(() => reject(fault), firstReachMs);
  });
  try {
    await Promise.race([ready, late]);
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || !error.code.startsWith('STORE_')) throw error;
    log.warn({ code: error.code }, 'the store cannot be reached; decisions are made without it until it can');
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** A message of ours never quotes an identifier; that of anything else might. */
function faultFields(error: unknown): object {
  if (error instanceof Fault) return { code: error.code, message: error.message };
  return {
    code: 'INVARIANT_BROKEN',
    name: error instanceof Error ? error.name : typeof error,
    stack: stackOf(error),
  };
}

/** Where it happened, without its message. */
function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  return error.stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .join('\n');
}
