import type { Confidence } from '../../core/subject.ts';

/** A simulated world before it runs: all of it follows from its seed. Times are milliseconds from the begin. */
export interface Scenario {
  readonly seed: number;
  readonly durationMs: number;
  readonly nodes: readonly NodePlan[];
  readonly actors: readonly ActorPlan[];
  readonly troubles: readonly Trouble[];
  readonly server: ServerPlan;
  /** Calls per minute that the api policy allows; null: as the contract says, which few actors reach. */
  readonly apiLimits: { readonly minor: number; readonly moderate: number; readonly severe: number } | null;
}

/** One process with a guard. */
export interface NodePlan {
  /** How far its clock is off. */
  readonly skewMs: number;
}

export interface ServerPlan {
  /** How long a message travels, one way, when nothing is wrong. */
  readonly latencyMs: readonly [least: number, most: number];
  /** Whether expired records are dropped, or still found by who asks. */
  readonly dropsExpired: boolean;
  /** How long a record lasts after its last write; null: as long as the policy says. */
  readonly recordMs: number | null;
}

/** Who attempts what, how often, and how. */
export interface ActorPlan {
  /** What it stands for, for people. */
  readonly role: string;
  readonly action: string;
  readonly startMs: number;
  /** How many moves it makes; a move is `parallel` attempts at once. */
  readonly moves: number;
  readonly parallel: number;
  /** Time between moves, give or take half of it. */
  readonly everyMs: number;
  /** After so many moves it rests for `restMs`. */
  readonly movesPerRound: number;
  readonly restMs: number;
  /** Each is gone through in turn, one value per attempt. Null: no device. */
  readonly accounts: readonly string[];
  readonly ips: readonly string[];
  readonly agents: readonly string[];
  readonly devices: readonly (ActorDevice | null)[];
  /** How many attempts stay on one value before the next is taken. */
  readonly stay: {
    readonly account: number;
    readonly ip: number;
    readonly agent: number;
    readonly device: number;
  };
  /** How often it has the right credentials. */
  readonly rightShare: number;
  /** Whether it waits as long as it is told to. */
  readonly obeys: boolean;
  /** Whether its host calls `check` first. */
  readonly isChecked: boolean;
  /** How often the end of an attempt reaches another node than its begin. */
  readonly strayShare: number;
}

export interface ActorDevice {
  readonly id: string;
  readonly confidence: Confidence;
}

/** What goes wrong, from `atMs` on for `forMs`. Shares are of messages. */
export type Trouble = { readonly atMs: number; readonly forMs: number } & (
  | { readonly kind: 'slow'; readonly extraMs: number }
  | { readonly kind: 'lose-requests'; readonly share: number }
  | { readonly kind: 'lose-replies'; readonly share: number }
  | { readonly kind: 'duplicate'; readonly share: number }
  /** Steps meet a conflict and run again. */
  | { readonly kind: 'conflict'; readonly share: number }
  /** One node cannot reach the server; it hears nothing, or is refused. */
  | { readonly kind: 'cut'; readonly node: number; readonly isRefused: boolean }
  /** The server is gone; what it held is still there afterwards, or is not. */
  | { readonly kind: 'crash'; readonly losesData: boolean }
  /** The server is gone; afterwards a replica serves that is behind, by a clock of its own. */
  | { readonly kind: 'failover'; readonly lagMs: number; readonly clockStepMs: number }
  /** The server has no room left: it refuses steps, while looks and probes go well. */
  | { readonly kind: 'full'; readonly share: number }
  /** The server drops records, also between the look and the step of an operation. */
  | { readonly kind: 'forget'; readonly share: number }
  /** One node stands still; what it should have done and heard comes at the end. */
  | { readonly kind: 'pause'; readonly node: number }
);
