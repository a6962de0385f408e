import type { Scenarios } from '../abuse/index.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { PolicyStatus } from '../guard/failure/policy-mode.ts';
import type { Guard } from '../guard/guard.ts';
import type { Secret } from '../identity/hmac.ts';
import type { Limiter } from '../limits/index.ts';
import type { Store } from '../stores/store.ts';
import type { TokenBook } from './http/token-book.ts';
import type { Observation } from './observation.ts';
import type { Route } from './route.ts';

/** A part of the service besides the decisions themselves: Envoy's gRPC, HAProxy's agent, the front of Kratos. */
export interface Room {
  readonly name: string;
  readonly routes?: readonly Route[];
  /** Starts a listener of its own. Gives a line for people: where it listens. */
  start?(): Promise<string>;
  /**
   * Makes what another configuration needs, and changes nothing; what it gives goes by that configuration from then on
   * and must not throw. `live` names the parts that differ. Throws `CONFIG_INVALID` where it cannot.
   */
  prepare?(config: ServiceConfig, live: readonly string[]): () => void;
  /** Ends it; what has been accepted is answered. Takes a bounded time. */
  close?(): Promise<void>;
  /** For `/v1/status`, without identifiers. */
  status?(): unknown;
  /** The modes of what decides here beside the policies, by names of its own. */
  modes?(): readonly PolicyStatus[];
}

/** What a room stands on. All of it stays the same object when the configuration changes. */
export interface RoomParts {
  /** At the start; later ones come by `prepare`. */
  readonly config: ServiceConfig;
  readonly guard: Guard;
  readonly limiter: Limiter;
  /** Null where they are off. */
  readonly scenarios: () => Scenarios | null;
  readonly store: Store;
  readonly secrets: { readonly secret: Secret; readonly previousSecret?: Secret };
  readonly tokens: TokenBook;
  /** What an operator wants of a policy while the store is away; null: what the contract says. */
  readonly pinned: (policy: string) => 'closed' | 'caps' | null;
  readonly observation: Observation;
  /** How long a listener goes on taking requests once it is told to end, in milliseconds. */
  readonly graceMs: number;
}

/** Makes a room, or null where the configuration does not ask for it. */
export type OpenRoom = (parts: RoomParts) => Promise<Room | null>;
