import { fileURLToPath } from 'node:url';
import type { MethodDefinition, ServiceDefinition } from '@grpc/proto-loader';
import { Fault, invariant } from '../../core/fault.ts';

/** The services we speak, ready to be served. */
export interface Services {
  readonly rateLimit: ServiceDefinition;
  readonly authorization: ServiceDefinition;
  readonly health: ServiceDefinition;
}

/** Stands for a message that could not be read, so that a handler can say so. */
const malformed = Symbol('malformed');

/**
 * Our services with what reads and writes their messages. The package for that is an optional peer, so that it is loaded when
 * it is asked for.
 *
 * @throws Fault `CONFIG_INVALID` when it is not installed.
 */
export async function loadServices(): Promise<Services> {
  const loader = await importLoader();
  const folder = fileURLToPath(new URL('./protos/', import.meta.url));
  const definitions = await loader.load(['rate-limit.proto', 'authorization.proto', 'health.proto'], {
    includeDirs: [folder],
    keepCase: true,
    longs: Number,
    defaults: true,
  });
  const serviceNamed = (name: string) => lenient(definitions[name] as ServiceDefinition);
  return {
    rateLimit: serviceNamed('envoy.service.ratelimit.v3.RateLimitService'),
    authorization: serviceNamed('envoy.service.auth.v3.Authorization'),
    health: serviceNamed('grpc.health.v1.Health'),
  };
}

async function importLoader() {
  try {
    return await import('@grpc/proto-loader');
  } catch (cause) {
    throw new Fault(
      'CONFIG_INVALID',
      'gRPC needs one more package: npm install @grpc/proto-loader; or do without: --grpc-port none, listen.grpcPort: null',
      { cause },
    );
  }
}

/** A message that cannot be read is handed on as {@link malformed}. */
function lenient(service: ServiceDefinition): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(service).map(([name, method]) => {
      const decode = method.requestDeserialize;
      const requestDeserialize = (bytes: Buffer) => {
        try {
          return decode(bytes);
        } catch (error) {
          // Deep nesting ends the decoder with a RangeError, anything else with its own: the caller's bytes are at fault.
          if (error instanceof Error) return { [malformed]: true };
          throw error;
        }
      };
      return [name, { ...method, requestDeserialize }];
    }),
  );
}

/** A method that our own protos have. */
export function methodIn(service: ServiceDefinition, name: string): MethodDefinition<object, object> {
  const method = service[name];
  invariant(method !== undefined, `the protos have no method ${name}`);
  return method;
}

export function isMalformed(message: object): boolean {
  return Object.hasOwn(message, malformed);
}
