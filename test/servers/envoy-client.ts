import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type CallOptions, Client, credentials, Metadata } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';

/** The protos that Envoy publishes, not ours: what they read is what Envoy reads. */
const published = join(
  dirname(createRequire(import.meta.url).resolve('@grpc/grpc-js-xds/package.json')),
  'deps',
);
const definitions = loadSync(
  ['envoy/service/ratelimit/v3/rls.proto', 'envoy/service/auth/v3/external_auth.proto'],
  {
    includeDirs: ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((name) =>
      join(published, name),
    ),
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
  },
);

/** A `RateLimitResponse`, as Envoy's proto reads it. */
export interface RateLimitAnswer {
  readonly overall_code: string;
  readonly statuses: readonly {
    readonly code: string;
    readonly current_limit: {
      readonly requests_per_unit: number;
      readonly unit: string;
      readonly name: string;
    } | null;
    readonly limit_remaining: number;
    readonly duration_until_reset: { readonly seconds: number; readonly nanos: number } | null;
  }[];
  readonly response_headers_to_add: readonly { readonly key: string; readonly value: string }[];
  readonly raw_body: Uint8Array;
}

interface HeaderOption {
  readonly header: { readonly key: string; readonly value: string };
  readonly append_action: string;
}

/** A `CheckResponse`, as Envoy's proto reads it. */
export interface CheckAnswer {
  readonly status: { readonly code: number };
  readonly denied_response: {
    readonly status: { readonly code: string };
    readonly headers: readonly HeaderOption[];
    readonly body: string;
  } | null;
  readonly ok_response: {
    readonly headers: readonly HeaderOption[];
    readonly response_headers_to_add: readonly HeaderOption[];
  } | null;
}

export type CallSettings = CallOptions & { readonly metadata?: Readonly<Record<string, string>> };

/** Asks as Envoy does. Rejects with the status of gRPC in `code`. */
export interface EnvoyClient {
  shouldRateLimit(request: object, settings?: CallSettings): Promise<RateLimitAnswer>;
  check(request: object, settings?: CallSettings): Promise<CheckAnswer>;
  /** Sends bytes that no proto has made. */
  sendBytes(method: 'shouldRateLimit' | 'check', bytes: Uint8Array): Promise<unknown>;
  close(): void;
}

const methods = {
  shouldRateLimit: methodOf('envoy.service.ratelimit.v3.RateLimitService', 'ShouldRateLimit'),
  check: methodOf('envoy.service.auth.v3.Authorization', 'Check'),
};

function methodOf(service: string, method: string): MethodDefinition<object, object> {
  const definition = (definitions[service] as ServiceDefinition)[method];
  if (definition === undefined) throw new TypeError(`Envoy's protos have no ${service}/${method}.`);
  return definition;
}

export function envoyClient(port: number): EnvoyClient {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const ask = (
    { path, responseDeserialize }: MethodDefinition<object, object>,
    bytes: Uint8Array,
    { metadata = {}, ...options }: CallSettings = {},
  ) =>
    new Promise<object>((resolve, reject) => {
      const sent = new Metadata();
      for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
      client.makeUnaryRequest(
        path,
        (message: Uint8Array) => Buffer.from(message),
        responseDeserialize,
        bytes,
        sent,
        options,
        (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
      );
    });
  return {
    shouldRateLimit: (request, settings) =>
      ask(
        methods.shouldRateLimit,
        methods.shouldRateLimit.requestSerialize(request),
        settings,
      ) as Promise<RateLimitAnswer>,
    check: (request, settings) =>
      ask(methods.check, methods.check.requestSerialize(request), settings) as Promise<CheckAnswer>,
    sendBytes: (method, bytes) => ask(methods[method], bytes),
    close: () => client.close(),
  };
}
