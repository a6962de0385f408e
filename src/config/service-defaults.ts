import { defaultMostDelayed } from '../abuse/delay-room.ts';
import { SECOND_MS } from '../core/duration.ts';
import { pinDefaults } from '../guard/pins/pin.ts';
import { backoffDefaults, proxyDefaults } from '../kratos/defaults.ts';
import { defaultLimit } from '../limits/allowance.ts';
import { defaultRoutes } from '../limits/route-table.ts';
import { feedDefaults } from '../telemetry/live-feed.ts';
import type { KratosSettings, ListenSettings, PinSettings, TelemetrySettings } from './service-config.ts';

/** What holds where a configuration says nothing. What a part has by default is taken from that part. */
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
    ...defaultLimit,
    routes: defaultRoutes,
    otherCost: 1,
    userHeader: null,
    standardHeaders: true,
    legacyHeaders: false,
  },
  scenarios: { enabled: true, mostDelayed: defaultMostDelayed },
  kratos: {
    upstreamUrl: 'http://kratos:4433',
    ...backoffDefaults,
    policy: 'counters',
  } satisfies Partial<KratosSettings>,
  kratosProxy: {
    enabled: true,
    port: 8472,
    ...proxyDefaults,
  } satisfies Omit<KratosSettings['proxy'], 'host'>,
  failure: { nodes: 1 },
  telemetry: {
    logLevel: 'info',
    allowEventEvery: 1,
    feed: feedDefaults,
    decisionLog: null,
    otlpEndpoint: null,
    otlpHeaders: {},
    serviceName: 'portcullis',
    traceRatio: 0.1,
    metricsEveryMs: 15 * SECOND_MS,
  } satisfies TelemetrySettings,
  decisionLog: {
    fileName: 'decisions.jsonl',
    maxBytes: 256 * 1024 * 1024,
    bufferBytes: 4 * 1024 * 1024,
    flushMs: 200,
  },
  pins: pinDefaults satisfies PinSettings,
} as const;
