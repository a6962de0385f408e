import type { ServiceConfig } from '../config/service-config.ts';
import type { Guard } from '../guard/guard.ts';
import type { Secret } from '../identity/hmac.ts';
import type { Limiter } from '../limits/index.ts';
import type { Store } from '../stores/store.ts';
import type { Observation } from './observation.ts';
import type { Route } from './route.ts';

/** A part of the service besides the decisions themselves: Envoy's gRPC, HAProxy's agent, the front of Kratos. */
export interface Room {
  readonly name: string;
  readonly routes?: readonly Route[];
  /** Starts a listener of its own. Gives a line for people: where it listens. */
  start?(): Promise<string>;
  /** Ends it; what has been accepted is answered. Takes a bounded time. */
  close?(): Promise<void>;
  /** For `/v1/status`, without identifiers. */
  status?(): unknown;
}

/** What a room stands on. */
export interface RoomParts {
  readonly config: ServiceConfig;
  readonly guard: Guard;
  readonly limiter: Limiter;
  readonly store: Store;
  readonly secrets: { readonly secret: Secret; readonly previousSecret?: Secret };
  readonly observation: Observation;
}

/** Makes a room, or null where the configuration does not ask for it. */
export type OpenRoom = (parts: RoomParts) => Promise<Room | null>;
