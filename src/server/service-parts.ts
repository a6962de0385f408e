import type { ServiceConfig } from '../config/service-config.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, assertPart, type OptionKinds } from '../core/options.ts';
import type { Log } from '../telemetry/log.ts';
import type { ConnectionBounds } from './http/bounds.ts';
import type { OpenRoom } from './rooms.ts';

/** What a host may hand in. */
export interface ServiceParts {
  /** Default: lines of JSON on stdout, at the level of the configuration. */
  readonly log?: Log;
  /** Parts of the service besides those the configuration asks for. */
  readonly rooms?: readonly OpenRoom[];
  /** Bounds of connections besides those of the configuration. */
  readonly bounds?: Partial<ConnectionBounds>;
  /** The built console. Default: where the build leaves it. */
  readonly consoleFolder?: string;
}

const partKinds: OptionKinds<ServiceParts> = {
  log: 'checked',
  rooms: 'list',
  bounds: 'object',
  consoleFolder: 'text',
};

/** @throws Fault `CONFIG_INVALID` when the configuration was not read, or a part is unknown or another. */
export function assertParts(config: ServiceConfig, parts: ServiceParts): void {
  if (config?.telemetry === undefined) {
    throw new Fault('CONFIG_INVALID', `config must be what readServiceConfig gives, got ${shapeOf(config)}`);
  }
  assertOptions('a service', parts, partKinds);
  if (parts.log !== undefined) assertPart('log', parts.log, ['writes', 'setLevel'], 'what createLog gives');
}
