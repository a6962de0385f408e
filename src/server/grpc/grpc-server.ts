import { type ClientAddress, createCallerAddress } from '../../adapters/client-address.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { Fault } from '../../core/fault.ts';
import type { DescriptorLimiter, DescriptorVerdict } from '../../limits/descriptors/descriptor-limiter.ts';
import { type HeaderOptions, type Limiter, requestIdHeader, requestIdOf } from '../../limits/index.ts';
import { TokenBook } from '../http/token-book.ts';
import { CallDesk, type OpenHandler } from './call-desk.ts';
import { type CallerTraits, callerCheck } from './caller-check.ts';
import { checkAnswer } from './check-answer.ts';
import { type CheckRequestMessage, readCheckRequest } from './check-request.ts';
import { GrpcDoor } from './grpc-door.ts';
import { HealthService } from './health-service.ts';
import { rateLimitAnswer } from './rate-limit-answer.ts';
import { type RateLimitRequestMessage, readRateLimitRequest } from './rate-limit-request.ts';
import { loadServices, methodIn, type Services } from './service-definitions.ts';
import { StrangerCalls } from './stranger-calls.ts';
import { type CallTaking, type MessageHandler, unaryHandler } from './unary-handler.ts';

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
/** Calls of those who need no token, all together: probes send a few bytes with their call, and take the answer. */
const mostOfStrangers = 64;

/**
 * Serves `envoy.service.ratelimit.v3.RateLimitService`, `envoy.service.auth.v3.Authorization` and
 * `grpc.health.v1.Health`.
 *
 * @throws Fault `CONFIG_INVALID` when an option is wrong, the package for messages is missing or the port is taken.
 */
export async function startGrpc(parts: GrpcParts): Promise<GrpcListener> {
  const services = await loadServices();
  const health = new HealthService(methodIn(services.health, 'Check'), [
    'envoy.service.ratelimit.v3.RateLimitService',
    'envoy.service.auth.v3.Authorization',
  ]);
  const strangers = new StrangerCalls(mostOfStrangers, (peer) => door.cutOff(peer));
  const desk = new CallDesk({
    check: callerCheck(parts.tokens ?? new TokenBook([]), parts.host),
    onAdmitted: (peer) => door.know(peer),
    methods: methodsOf(services, parts),
    openMethods: healthMethods(services, health),
    strangers,
    messageBytes: parts.messageBytes ?? defaultMessageBytes,
  });
  const door = new GrpcDoor({
    host: parts.host,
    port: parts.port,
    connections: parts.connections ?? defaultConnections,
    silentMs: parts.silentMs ?? defaultSilentMs,
    idleMs: parts.idleMs ?? defaultIdleMs,
    onLeave: (peer) => strangers.forget(peer),
    admit: (stream, headers, peer) => desk.take(stream, headers, peer),
  });
  const port = await door.open();
  let closing: Promise<void> | undefined;
  return {
    port,
    close: () => {
      closing ??= drain(door, health, parts.drainMs ?? defaultDrainMs);
      return closing;
    },
  };
}

function methodsOf({ rateLimit, authorization }: Services, parts: GrpcParts): Map<string, MessageHandler> {
  const taking: CallTaking = { onFault: parts.onFault ?? warnOfFault };
  const limit = methodIn(rateLimit, 'ShouldRateLimit');
  const check = methodIn(authorization, 'Check');
  return new Map([
    [limit.path, unaryHandler(limit, taking, shouldRateLimit(parts))],
    [check.path, unaryHandler(check, taking, authorize(parts))],
  ]);
}

function healthMethods({ health: service }: Services, health: HealthService): Map<string, OpenHandler> {
  const check: OpenHandler = (bytes, call) => {
    health.check(bytes, call);
    return null;
  };
  return new Map([
    [methodIn(service, 'Check').path, check],
    [methodIn(service, 'Watch').path, (bytes, call) => health.watch(bytes, call)],
  ]);
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
  const findAddress = addressOf ?? createCallerAddress({ warn: () => {} });
  return async (message: CheckRequestMessage) => {
    const named = userHeader?.()?.toLowerCase() ?? null;
    const call = readCheckRequest(message, { addressOf: findAddress, userHeader: named });
    const verdict = await limiter.take(call);
    return checkAnswer(verdict, requestIdOf(call.header(requestIdHeader)), call.path, headers());
  };
}

async function drain(door: GrpcDoor, health: HealthService, drainMs: number): Promise<void> {
  health.drain();
  const cut = setTimeout(() => door.cut(), drainMs);
  await door.close();
  clearTimeout(cut);
}

function warnOfFault(error: unknown, method: string): void {
  const code = error instanceof Fault ? error.code : 'INVARIANT_BROKEN';
  process.emitWarning(`${method} met a fault: ${code}`, {
    type: 'PortcullisWarning',
    code: 'PORTCULLIS_GRPC_FAULT',
  });
}
