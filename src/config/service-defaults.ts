import { DAY_MS, SECOND_MS } from '../core/duration.ts';
import { defaultDeadlineMs } from '../guard/failure/failure-policy.ts';
import { defaultRoutes } from '../limits/route-table.ts';
import type { KratosSettings, ListenSettings, PinSettings, TelemetrySettings } from './service-config.ts';

/** What holds where a configuration says nothing; the only place these stand. */
export const serviceDefaults = {
  environment: 'default',
  dataFolder: 'portcullis-data',
  keyFileName: 'portcullis.keys.json',
  store: 'lmdb',
  forwardingHeader: 'x-forwarded-for',
  listen: {
    host: '127.0.0.1',
    port: 8470,
    grpcPort: 8471,
    spoePort: null,
    maxBodyBytes: 1024 * 1024,
    maxHeaderBytes: 16 * 1024,
    requestTimeoutMs: 10 * SECOND_MS,
    keepAliveTimeoutMs: 65 * SECOND_MS,
    maxConnections: 4096,
    drainMs: 10 * SECOND_MS,
  } satisfies ListenSettings,
  limits: {
    name: 'default',
    ratePerSecond: 10,
    burst: 3,
    routes: defaultRoutes,
    otherCost: 1,
    userHeader: null,
    standardHeaders: true,
    legacyHeaders: false,
  },
  scenarios: { enabled: true, mostDelayed: 100 },
  kratos: {
    upstreamUrl: 'http://kratos:4433',
    maxIdentifierAttempts: 10,
    maxIpAttempts: 20,
    identifierLockoutSeconds: 120,
    ipLockoutSeconds: 120,
    resetIp: 'own',
    keys: 'hmac',
    onStoreFailure: 'policy',
    policy: 'counters',
  } satisfies Partial<KratosSettings>,
  kratosProxy: {
    enabled: true,
    port: 8472,
    lockoutPath: '/login',
    sessionCookie: 'ory_kratos_session',
    resetOnSuccess: true,
    forwardedFor: 'first',
    upstreamTimeoutMs: 30 * SECOND_MS,
  } satisfies Omit<KratosSettings['proxy'], 'host'>,
  failure: { deadlineMs: defaultDeadlineMs, nodes: 1 },
  telemetry: {
    logLevel: 'info',
    allowEventEvery: 1,
    feed: { ringEvents: 1024, maxSubscribers: 64, queueEvents: 1024, eventsPerSecond: 200 },
    otlpEndpoint: null,
    otlpHeaders: {},
    serviceName: 'portcullis',
    traceRatio: 0.1,
    metricsEveryMs: 15 * SECOND_MS,
  } satisfies TelemetrySettings,
  pins: { refreshMs: 2 * SECOND_MS, most: 64, longestMs: 30 * DAY_MS } satisfies PinSettings,
} as const;
