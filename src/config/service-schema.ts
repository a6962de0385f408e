import Type from 'typebox';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/duration.ts';
import { logLevels } from '../telemetry/log-level.ts';
import { EnvoyDomainSchema } from './envoy-schema.ts';
import {
  choice,
  cidrs,
  milliseconds,
  name,
  optionalFields,
  orNull,
  port,
  strict,
  text,
  whole,
} from './fields.ts';
import { KratosSection } from './kratos-schema.ts';
import { LimitsSection } from './limits-schema.ts';
import { ShadowList } from './policy-schema.ts';
import { ScenariosSection } from './scenarios-section.ts';
import { tokenRoles } from './service-config.ts';

const Token = Type.Object(
  {
    name: name('Shown in the audit trail.'),
    role: choice(tokenRoles, '`operate` may everything that `observe` may.'),
    sha256: Type.Optional(
      Type.String({
        pattern: '^[0-9a-fA-F]{64}$',
        expected: '64 hexadecimal digits',
        description: 'Of the token.',
      }),
    ),
    token: Type.Optional(Type.String({ minLength: 16, maxLength: 1024, description: 'In clear.' })),
  },
  strict,
);

const Listen = optionalFields(
  {
    host: text(255, 'Default 127.0.0.1.'),
    port: port('Default 8470; 0 takes any that is free.'),
    grpcPort: orNull(port(), 'Envoy’s gRPC services. Default 8471; null: none.'),
    spoePort: orNull(port(), 'HAProxy’s SPOE agent. Default null: none.'),
    maxBodyBytes: whole(1024, 64 * 1024 * 1024, 'Default 1 MiB.'),
    maxHeaderBytes: whole(1024, 1024 * 1024, 'Default 16 KiB.'),
    requestTimeoutMs: milliseconds(10 * MINUTE_MS, 'For a request to arrive whole. Default 10 s.'),
    keepAliveTimeoutMs: milliseconds(HOUR_MS, 'Between requests. Default 65 s.'),
    maxConnections: whole(1, 1_000_000, 'At once, of HTTP and of gRPC each. Default 4096.'),
    drainMs: milliseconds(10 * MINUTE_MS, 'For requests that run at SIGTERM. Default 10 s.'),
  },
  { description: 'Where the service listens, and what it bears of one client.' },
);

const Breaker = optionalFields({
  tripFailures: whole(1, 1000),
  tripWindowMs: milliseconds(DAY_MS),
  minOpenMs: milliseconds(DAY_MS),
  probeEveryMs: milliseconds(DAY_MS),
  healthyMs: milliseconds(DAY_MS),
  shutAtEntry: whole(1, 1000),
  entryWindowMs: milliseconds(DAY_MS),
  shutMs: milliseconds(DAY_MS),
});

const Cap = Type.Object(
  { scope: choice(['K4', 'K2', 'K1']), count: whole(1, 1_000_000), windowMs: milliseconds(DAY_MS) },
  strict,
);

const Failure = optionalFields(
  {
    deadlineMs: orNull(
      milliseconds(MINUTE_MS),
      'Time for one operation on the store. Default 50, on the embedded store 1000; null: what the store sets itself.',
    ),
    nodes: whole(1, 100_000, 'How many nodes share the store. Default 1.'),
    breaker: Breaker,
    caps: Type.Record(Type.String(), Type.Array(Cap, { minItems: 1, maxItems: 3 }), {
      description: 'Local caps while the store is away, by policy.',
    }),
  },
  { description: 'What happens when the store fails.' },
);

const DecisionLog = optionalFields({
  file: text(4096, 'Default decisions.jsonl in the data folder.'),
  maxBytes: whole(
    1024 * 1024,
    1024 ** 4,
    'Before it would grow larger, the file becomes FILE.1. Default 256 MiB.',
  ),
  bufferBytes: whole(
    64 * 1024,
    1024 ** 3,
    'What may wait for the disk; more is dropped and counted. Default 4 MiB.',
  ),
  flushMs: milliseconds(MINUTE_MS, 'How long a line may wait for others. Default 200.'),
});

const Telemetry = optionalFields({
  logLevel: choice(logLevels, 'Default info.'),
  allowEventEvery: whole(1, 1_000_000, 'Of ALLOW decisions every how many are told as events. Default 1.'),
  feed: optionalFields({
    ringEvents: whole(1, 100_000, 'Events kept for those who come back. Default 1024.'),
    maxSubscribers: whole(1, 10_000, 'Default 64.'),
    queueEvents: whole(1, 100_000, 'Events that may wait for one subscriber. Default 1024.'),
    eventsPerSecond: whole(1, 100_000, 'Above this the feed shows samples. Default 200.'),
  }),
  decisionLog: orNull(
    DecisionLog,
    'A file of every decision, with pseudonyms, for replay and compare. Default null: none.',
  ),
  otlpEndpoint: orNull(text(2048), 'OTLP over HTTP: http://127.0.0.1:4318. Default null: nowhere.'),
  otlpHeaders: Type.Record(Type.String(), text(4096), { description: 'Sent with every export.' }),
  serviceName: name('Default portcullis.'),
  traceRatio: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of decisions with a span. Default 0.1.',
  }),
  metricsEveryMs: milliseconds(HOUR_MS, 'Default 15 s.'),
});

/** Everything a layer of an environment may say too. */
export const sections = {
  listen: Listen,
  dataFolder: text(4096, 'Default portcullis-data.'),
  keyFile: text(
    4096,
    'Secrets, as `keys rotate` makes them. Default portcullis.keys.json in the data folder.',
  ),
  store: text(
    4096,
    'lmdb, memory, lmdb:FOLDER, redis[s]://…, redis[s]+cluster://…, redis[s]+sentinel://… or postgres://…. Default lmdb.',
  ),
  tokens: Type.Array(Token, { maxItems: 1000 }),
  trustedProxies: cidrs('Proxies whose forwarding header counts; `unix` for a Unix socket.'),
  forwardingHeader: choice(['x-forwarded-for', 'forwarded']),
  policies: Type.Record(Type.String(), Type.Unknown(), { description: 'As in a policy file.' }),
  shadow: Type.Union([ShadowList, Type.Record(Type.String(), ShadowList)], {
    description: 'Engine rules that decide and tell, but never block: for all policies, or by policy.',
  }),
  limits: LimitsSection,
  scenarios: ScenariosSection,
  kratos: orNull(KratosSection),
  envoy: Type.Array(Type.Union([text(4096, 'Path of a file.'), EnvoyDomainSchema]), {
    maxItems: 1000,
    description: 'Domains in the form of Envoy’s ratelimit service, or files with one.',
  }),
  failure: Failure,
  telemetry: Telemetry,
  console: optionalFields({ enabled: Type.Boolean({ description: 'Default true.' }) }),
  pins: optionalFields({
    refreshMs: whole(100, HOUR_MS, 'How often pins of other nodes are looked for. Default 2000.'),
    most: whole(1, 1000, 'Default 64.'),
    longestMs: milliseconds(366 * DAY_MS, 'The longest a pin may last. Default 30 days.'),
  }),
} as const;

const Layer = optionalFields(sections);

/** What only the document itself may say. */
export const documentFields = {
  $schema: Type.String({ maxLength: 4096, description: 'For editors; not read.' }),
  environment: name('The layer to use, and part of every key. Default default.'),
  environments: Type.Record(Type.String(), orNull(Layer)),
} as const;

/** A service's configuration file. */
export const ServiceDocument = optionalFields({ ...documentFields, ...sections });

/** A document that {@link ServiceDocument} takes. */
export type ServiceData = Type.Static<typeof Layer>;
