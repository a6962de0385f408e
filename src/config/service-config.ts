import type { GoodBot, Scenario } from '../abuse/index.ts';
import type { Policy } from '../core/policy.ts';
import type { BreakerPolicy, DegradedCap } from '../guard/failure/failure-policy.ts';
import type { DomainDocument } from '../limits/descriptors/domain-document.ts';
import type { AllowListOptions, Limit, LimitOverride, Route, ShadowRule } from '../limits/index.ts';
import type { DecisionLogSettings } from '../telemetry/decision-log/decision-log.ts';
import type { LogLevel } from '../telemetry/log-level.ts';

export const tokenRoles = ['decide', 'observe', 'operate'] as const;

/** What a token may do. */
export type TokenRole = (typeof tokenRoles)[number];

/** A service's configuration: complete, checked and frozen. Secrets that were given in clear are hashes here. */
export interface ServiceConfig {
  /** The layer that was chosen, and part of every key in the store. Default `default`. */
  readonly environment: string;
  readonly listen: ListenSettings;
  /** Folder of the embedded store and of the generated secret; absolute. Default `portcullis-data`. */
  readonly dataFolder: string;
  /** File of the secrets that keys are made with; absolute. Default `portcullis.keys.json` in the data folder. */
  readonly keyFile: string;
  /** `lmdb` (in the data folder), `memory`, `lmdb:FOLDER`, `redis[s]://…`, `redis[s]+cluster://…`, `redis[s]+sentinel://…` or `postgres://…`. */
  readonly store: string;
  readonly tokens: readonly ServiceToken[];
  /** CIDRs and addresses whose forwarding header counts; `unix` for a Unix socket. Default none. */
  readonly trustedProxies: readonly string[];
  readonly forwardingHeader: 'x-forwarded-for' | 'forwarded';
  /** Built-in policies and the user's own, with the rules each runs in shadow. */
  readonly policies: readonly Policy[];
  readonly limits: LimitSettings;
  readonly scenarios: ScenarioSettings;
  /** Null: no login backoff for Ory Kratos. */
  readonly kratos: KratosSettings | null;
  readonly envoy: readonly DomainDocument[];
  readonly failure: FailureData;
  readonly telemetry: TelemetrySettings;
  readonly console: { readonly enabled: boolean };
  readonly pins: PinSettings;
}

/** Where the service listens, and what it bears of one client. */
export interface ListenSettings {
  /** Default 127.0.0.1. */
  readonly host: string;
  /** 0 takes any that is free. Default 8470. */
  readonly port: number;
  /** Envoy's gRPC services; null: none. Default 8471. */
  readonly grpcPort: number | null;
  /** HAProxy's SPOE agent; null: none. Default null. */
  readonly spoePort: number | null;
  /** Default 1 MiB. */
  readonly maxBodyBytes: number;
  /** Default 16 KiB. */
  readonly maxHeaderBytes: number;
  /** For a request to arrive whole, and for the first bytes of a gRPC connection. Default 10 s. */
  readonly requestTimeoutMs: number;
  /** How long a connection may rest between requests. Default 65 s. */
  readonly keepAliveTimeoutMs: number;
  /** At once, of HTTP and of gRPC each. Default 4096. */
  readonly maxConnections: number;
  /** How long requests may still take after SIGTERM. Default 10 s. */
  readonly drainMs: number;
}

/** Who may ask. Only a token's SHA-256 is kept. */
export interface ServiceToken {
  readonly name: string;
  readonly role: TokenRole;
  /** 64 hexadecimal digits, lower case. */
  readonly sha256: string;
}

/** A service behind the gateway, which tells its pressure through the store. */
export interface GatewayService {
  readonly name: string;
  /** The calls that go to it. Default: all. */
  readonly path?: string | undefined;
}

/** What `createLimiter` takes as data, the services that it spares, and which headers an answer carries. */
export interface LimitSettings {
  /** Default `default`. */
  readonly name: string;
  /** Of a signed-in user. Default 10. */
  readonly ratePerSecond: number;
  /** Default 3. */
  readonly burst: number;
  /** Of everybody else. Default: a quarter of the rate, the same burst. */
  readonly anonymous: Partial<Limit>;
  /** Default: the table of `defaultRoutes`. */
  readonly routes: readonly Route[];
  /** Default 1. */
  readonly otherCost: number;
  /** Default: none. */
  readonly services: readonly GatewayService[];
  readonly overrides: readonly LimitOverride[];
  readonly allow: AllowListOptions;
  /** Default false: none. */
  readonly shadow: boolean | readonly ShadowRule[];
  /** The header in which a trusted proxy names the signed-in user. Default null: everybody is anonymous. */
  readonly userHeader: string | null;
  /** Default true. */
  readonly standardHeaders: boolean;
  /** Default false. */
  readonly legacyHeaders: boolean;
}

/** Those of them that make the limiter; the others are for whoever asks it. */
export function limiterSettingsOf({
  userHeader: _userHeader,
  services: _services,
  standardHeaders: _standardHeaders,
  legacyHeaders: _legacyHeaders,
  ...settings
}: LimitSettings) {
  return settings;
}

/** Abuse scenarios: what `createScenarios` takes as data. */
export interface ScenarioSettings {
  /** Default true. */
  readonly enabled: boolean;
  /** Default: the built-in ones. */
  readonly list: readonly Scenario[];
  /** Whom no scenario judges. Default: nobody. */
  readonly allow: AllowListOptions;
  /** Scenarios that decide and tell, but never enforce, besides those that say so. Default false: none. */
  readonly shadow: boolean | readonly string[];
  /** Search engines that are let be once DNS has verified them; true: the known ones. Default false. */
  readonly goodBots: boolean | readonly GoodBot[];
  /** Calls that may be held back at once. Default 100. */
  readonly mostDelayed: number;
}

/** Login backoff in front of Ory Kratos. */
export interface KratosSettings {
  /** `KRATOS_INTERNAL_URL`. Default `http://kratos:4433`. */
  readonly upstreamUrl: string;
  /** Default 10: the 11th attempt is refused. */
  readonly maxIdentifierAttempts: number;
  /** Default 20. */
  readonly maxIpAttempts: number;
  /** Default 120. */
  readonly identifierLockoutSeconds: number;
  /** Default 120. */
  readonly ipLockoutSeconds: number;
  /** What a success takes from its address: its own attempts, or all. Default `own`. */
  readonly resetIp: 'own' | 'all';
  /** `plain` shares a Redis with an existing deployment. Default `hmac`. */
  readonly keys: 'hmac' | 'plain';
  /** `policy`: as the login policy says, closed and then degraded. Default `policy`. */
  readonly onStoreFailure: 'policy' | 'open';
  /** Two counters, or the whole engine. Default `counters`. */
  readonly policy: 'counters' | 'matrix';
  readonly webhooks: {
    /** SHA-256 of the bearer token, in hexadecimal; null: none is asked for. */
    readonly tokenSha256: string | null;
    /** Secret of the HMAC signature; null: none is asked for. */
    readonly signatureSecret: string | null;
    /** Who may call without either, besides loopback. Default none. */
    readonly cidrs: readonly string[];
  };
  readonly proxy: {
    readonly enabled: boolean;
    /** Default: that of the service. */
    readonly host: string;
    /** Default 8472. */
    readonly port: number;
    /** Where a locked-out browser is sent. Default `/login`. */
    readonly lockoutPath: string;
    /** The cookie by which Kratos says that a login has succeeded. Default `ory_kratos_session`. */
    readonly sessionCookie: string;
    /** Whether a success that the proxy sees resets the counters, as the webhook does. Default true. */
    readonly resetOnSuccess: boolean;
    /** Which address of `X-Forwarded-For`: the first, or the nearest that is no trusted proxy. Default `first`. */
    readonly forwardedFor: 'first' | 'nearest';
    /** Until Kratos has begun to answer; then 504. Default 30 s. */
    readonly upstreamTimeoutMs: number;
    /** Connections of clients at once; of those to Kratos there are never more. Default 20,000. */
    readonly maxConnections: number;
  };
}

/** `FailureOptions` as data. */
export interface FailureData {
  /** Time for one operation on the store; null: what the store sets itself. Default 50, on the embedded store 1 000. */
  readonly deadlineMs?: number | null;
  /** How many nodes share the store. Default 1. */
  readonly nodes: number;
  readonly breaker: Partial<BreakerPolicy>;
  readonly caps: Readonly<Record<string, readonly DegradedCap[]>>;
}

/** What the service tells about itself. */
export interface TelemetrySettings {
  /** Default `info`. */
  readonly logLevel: LogLevel;
  /** Of ALLOW decisions in mode NORMAL, every how many are told as events. Default 1. */
  readonly allowEventEvery: number;
  readonly feed: {
    /** Events kept for those who come back. Default 1024. */
    readonly ringEvents: number;
    /** Default 64. */
    readonly maxSubscribers: number;
    /** Events that may wait for one subscriber before it is dropped. Default 1024. */
    readonly queueEvents: number;
    /** Above this the feed shows samples and says so. Default 200. */
    readonly eventsPerSecond: number;
  };
  /** Every decision with the hashes it rests on, in a file. Default null: none. */
  readonly decisionLog: DecisionLogSettings | null;
  /** Where OTLP over HTTP is spoken: `http://127.0.0.1:4318`. Default null: nowhere. */
  readonly otlpEndpoint: string | null;
  /** Sent with every export. */
  readonly otlpHeaders: Readonly<Record<string, string>>;
  /** Default `portcullis`. */
  readonly serviceName: string;
  /** Of the decisions, the share that becomes a span, from 0 to 1. Default 0.1. */
  readonly traceRatio: number;
  /** Default 15 s. */
  readonly metricsEveryMs: number;
}

/** Bounds on what operators pin. */
export interface PinSettings {
  /** How often a node looks for pins that another one has set. Default 2 s. */
  readonly refreshMs: number;
  /** Default 64. */
  readonly most: number;
  /** The longest time a pin may last. Default 30 days. */
  readonly longestMs: number;
}
