import type { Server, UntypedServiceImplementation } from '@grpc/grpc-js';
import { type ClientAddress, createClientAddress } from '../../adapters/client-address.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { Fault } from '../../core/fault.ts';
import type { DescriptorLimiter, DescriptorVerdict } from '../../limits/descriptors/descriptor-limiter.ts';
import { type HeaderOptions, type Limiter, requestIdHeader, requestIdOf } from '../../limits/index.ts';
import { TokenBook } from '../http/token-book.ts';
import { type CallerTraits, callerCheck } from './caller-check.ts';
import { callerGate } from './caller-gate.ts';
import { checkAnswer } from './check-answer.ts';
import { type CheckRequestMessage, readCheckRequest } from './check-request.ts';
import { GrpcDoor } from './grpc-door.ts';
import { type GrpcLibrary, loadGrpcLibrary } from './grpc-library.ts';
import { HealthService } from './health-service.ts';
import { rateLimitAnswer } from './rate-limit-answer.ts';
import { type RateLimitRequestMessage, readRateLimitRequest } from './rate-limit-request.ts';
import { type CallTaking, unaryHandler } from './unary-handler.ts';
import { UnreadMessages } from './unread-messages.ts';

/** What the gRPC services stand on. */
export interface GrpcParts {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Decides for `Authorization/Check`. */
  readonly limiter: Pick<Limiter, 'take'>;
  /** Decides for `RateLimitService/ShouldRateLimit`. */
  readonly descriptors: Pick<DescriptorLimiter, 'decideSoon'>;
  /** Callers need one with the role `decide`. Default: none, and only this machine is served. */
  readonly tokens?: TokenBook | undefined;
  /** Whose call Envoy asks about, by the peer of Envoy. Default: that peer itself. */
  readonly addressOf?: ClientAddress | undefined;
  /** Which headers answers of `Authorization/Check` carry. Default: `RateLimit` and `RateLimit-Policy`. */
  readonly headers?: (() => HeaderOptions) | undefined;
  /**
   * The header in which Envoy tells the id of a signed-in user, verified and written by Envoy itself. Default: none, and
   * everybody is anonymous.
   */
  readonly userHeader?: (() => string | null) | undefined;
  /** The largest message, in bytes; a larger one is RESOURCE_EXHAUSTED. Default 1 MiB: the longest header that Envoy takes, in a dozen of descriptors. */
  readonly messageBytes?: number | undefined;
  /** Connections at once; more are closed as they come. Default 4096. */
  readonly connections?: number | undefined;
  /** How long a connection may stay that has sent nothing yet. Default 10 s. */
  readonly silentMs?: number | undefined;
  /** How long a connection may stay without a call. Default 5 minutes; Envoy opens another when it needs one. */
  readonly idleMs?: number | undefined;
  /** How long calls may go on after `close`. Default 10 s. */
  readonly drainMs?: number | undefined;
  /** Told of faults of ours, with the method they were met on. Default: a warning of the process. */
  readonly onFault?: ((error: unknown, method: string) => void) | undefined;
}

/** A listener that can be ended. */
export interface GrpcListener {
  readonly port: number;
  /** Takes no new calls, lets the running ones end, cuts what is left after `drainMs`. */
  close(): Promise<void>;
}

const defaultMessageBytes = 1024 * 1024;
const defaultConnections = 4_096;
const defaultSilentMs = 10_000;
const defaultIdleMs = 5 * MINUTE_MS;
const defaultDrainMs = 10_000;
/** Of one connection, each of which may hold headers and a message; Envoy opens further connections where it needs more. */
const mostConcurrentStreams = 100;
/** Of those who need no token, all together: probes send a few bytes with their call. */
const mostUnread = 64;
const openPaths = '/grpc.health.v1.Health/';

/**
 * Serves `envoy.service.ratelimit.v3.RateLimitService`, `envoy.service.auth.v3.Authorization` and
 * `grpc.health.v1.Health`.
 *
 * @throws Fault `CONFIG_INVALID` when an option is wrong, the packages of gRPC are missing or the port is taken.
 */
export async function startGrpc(parts: GrpcParts): Promise<GrpcListener> {
  const library = await loadGrpcLibrary();
  const health = new HealthService([
    'envoy.service.ratelimit.v3.RateLimitService',
    'envoy.service.auth.v3.Authorization',
  ]);
  const unread = new UnreadMessages(mostUnread, (peer) => door.cutOff(peer));
  const server = makeServer(library, parts, health, unread);
  const { injectConnection } = server.createConnectionInjector(
    library.grpc.ServerCredentials.createInsecure(),
  );
  const door = new GrpcDoor({
    host: parts.host,
    port: parts.port,
    connections: parts.connections ?? defaultConnections,
    silentMs: parts.silentMs ?? defaultSilentMs,
    onLeave: (peer) => unread.forget(peer),
    admit: injectConnection,
  });
  const port = await door.open();
  let closing: Promise<void> | undefined;
  return {
    port,
    close: () => {
      closing ??= drain(server, door, health, parts.drainMs ?? defaultDrainMs);
      return closing;
    },
  };
}

function makeServer(
  { grpc, services }: GrpcLibrary,
  parts: GrpcParts,
  health: HealthService,
  unread: UnreadMessages,
): Server {
  const gate = callerGate(grpc, {
    check: callerCheck(parts.tokens ?? new TokenBook([]), parts.host),
    isOpen: (path) => path.startsWith(openPaths),
    unread,
  });
  const server = new grpc.Server({
    'grpc.max_receive_message_length': parts.messageBytes ?? defaultMessageBytes,
    'grpc.max_concurrent_streams': mostConcurrentStreams,
    'grpc.max_connection_idle_ms': parts.idleMs ?? defaultIdleMs,
    'grpc.enable_channelz': 0,
    interceptors: [gate],
  });
  const taking: CallTaking = { onFault: parts.onFault ?? warnOfFault };
  const handlers: readonly [
    GrpcLibrary['services'][keyof GrpcLibrary['services']],
    UntypedServiceImplementation,
  ][] = [
    [services.rateLimit, { ShouldRateLimit: unaryHandler(taking, shouldRateLimit(parts)) }],
    [services.authorization, { Check: unaryHandler(taking, authorize(parts)) }],
    [services.health, { Check: health.check, Watch: health.watch }],
  ];
  for (const [service, implementation] of handlers) server.addService(service, implementation);
  return server;
}

function shouldRateLimit({ descriptors: limiter }: GrpcParts) {
  return (message: RateLimitRequestMessage, { metadata }: CallerTraits) => {
    const { domain, descriptors } = readRateLimitRequest(message);
    const answer = (verdict: DescriptorVerdict) =>
      rateLimitAnswer(verdict, domain, () => requestIdOf(metadata(requestIdHeader)));
    const verdict = limiter.decideSoon(domain, descriptors);
    return verdict instanceof Promise ? verdict.then(answer) : answer(verdict);
  };
}

function authorize({ limiter, addressOf, userHeader, headers = () => ({}) }: GrpcParts) {
  const findAddress = addressOf ?? createClientAddress({ warn: () => {} });
  return async (message: CheckRequestMessage) => {
    const named = userHeader?.()?.toLowerCase() ?? null;
    const call = readCheckRequest(message, { addressOf: findAddress, userHeader: named });
    const verdict = await limiter.take(call);
    return checkAnswer(verdict, requestIdOf(call.header(requestIdHeader)), call.path, headers());
  };
}

function drain(server: Server, door: GrpcDoor, health: HealthService, drainMs: number): Promise<void> {
  door.close();
  health.drain();
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.forceShutdown();
      // The library waits for peers that keep their half of a connection open.
      door.cut();
    }, drainMs);
    server.tryShutdown(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}

function warnOfFault(error: unknown, method: string): void {
  const code = error instanceof Fault ? error.code : 'INVARIANT_BROKEN';
  process.emitWarning(`${method} met a fault: ${code}`, {
    type: 'PortcullisWarning',
    code: 'PORTCULLIS_GRPC_FAULT',
  });
}
