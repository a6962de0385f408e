import { fileURLToPath } from 'node:url';
import type * as grpcLibrary from '@grpc/grpc-js';
import type { ServiceDefinition } from '@grpc/proto-loader';
import { Fault } from '../../core/fault.ts';

export type Grpc = typeof grpcLibrary;

/** The services we speak, ready to be served. */
export interface Services {
  readonly rateLimit: ServiceDefinition;
  readonly authorization: ServiceDefinition;
  readonly health: ServiceDefinition;
}

/** What gRPC needs, loaded when it is asked for: both packages are optional peers. */
export interface GrpcLibrary {
  readonly grpc: Grpc;
  readonly services: Services;
}

/** Stands for a message that could not be read, so that a handler can say so. */
const malformed = Symbol('malformed');

/** The name of a service, which those who watch it keep us holding: anybody may. */
const mostHealthBytes = 1_024;

/** @throws Fault `CONFIG_INVALID` when the packages are not installed. */
export async function loadGrpcLibrary(): Promise<GrpcLibrary> {
  const { grpc, loader } = await importPeers();
  const folder = fileURLToPath(new URL('./protos/', import.meta.url));
  const definitions = await loader.load(['rate-limit.proto', 'authorization.proto', 'health.proto'], {
    includeDirs: [folder],
    keepCase: true,
    longs: Number,
    defaults: true,
  });
  const serviceNamed = (name: string, mostBytes?: number) =>
    lenient(definitions[name] as ServiceDefinition, mostBytes);
  return {
    grpc,
    services: {
      rateLimit: serviceNamed('envoy.service.ratelimit.v3.RateLimitService'),
      authorization: serviceNamed('envoy.service.auth.v3.Authorization'),
      health: serviceNamed('grpc.health.v1.Health', mostHealthBytes),
    },
  };
}

async function importPeers() {
  try {
    const [grpc, loader] = await Promise.all([import('@grpc/grpc-js'), import('@grpc/proto-loader')]);
    return { grpc, loader };
  } catch (cause) {
    throw new Fault(
      'CONFIG_INVALID',
      'gRPC needs two more packages: npm install @grpc/grpc-js @grpc/proto-loader; or do without: --grpc-port none, listen.grpcPort: null',
      { cause },
    );
  }
}

/**
 * A message that cannot be read is handed on as {@link malformed}: the library would answer INTERNAL, as if it were our
 * fault, with the words of its decoder.
 *
 * @param mostBytes of a message that is read at all
 */
function lenient(service: ServiceDefinition, mostBytes = Number.POSITIVE_INFINITY): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(service).map(([name, method]) => {
      const decode = method.requestDeserialize;
      const requestDeserialize = (bytes: Buffer) => {
        if (bytes.length > mostBytes) return { [malformed]: true };
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

export function isMalformed(message: object): boolean {
  return Object.hasOwn(message, malformed);
}
