import type { FaultCode } from '../core/fault.ts';
import type { SkippedBy } from '../limits/index.ts';
import type { SignKey } from './scenario.ts';

/** By what an event was kept from being judged. */
export type ScenarioSkip = SkippedBy | 'bot';

/** What a scenario did about an event. Carries no identifier. */
export interface ScenarioFinding {
  readonly scenario: string;
  readonly what: 'degraded' | 'blocked';
  /** Whom the evidence was counted by, as the key of the sign says. */
  readonly key: SignKey;
  /** True when the scenario runs in shadow: nothing was enforced. */
  readonly shadow: boolean;
  /** When it ends, by the store's clock in ms; null for a block that nobody keeps. */
  readonly until: number | null;
}

/** What scenarios say about themselves, for logs and metrics. Carries no identifier. */
export type ScenarioEvent =
  | (ScenarioFinding & { readonly type: 'scenario' })
  | {
      readonly type: 'scenario';
      readonly what: 'skipped';
      /** Null where it was skipped by all of them. */
      readonly scenario: string | null;
      readonly by: ScenarioSkip;
    }
  | {
      readonly type: 'scenario';
      readonly what: 'failed';
      /** What could not be done because the store failed. */
      readonly doing: 'standing' | 'observe' | 'block';
      readonly code: FaultCode;
    }
  | {
      readonly type: 'scenario';
      /** A stored record could not be read. The call has thrown `RECORD_CORRUPT`. */
      readonly what: 'corrupt';
      /** How many records were set aside; the next call finds none in their place. */
      readonly setAside: number;
    };

/** What it throws, at once or by a promise, changes no call: it is a warning of the process, at most one a minute. */
export type ScenarioListener = (event: ScenarioEvent) => void;

/** What one scenario did since the start. */
export interface ScenarioCount {
  readonly degraded: number;
  readonly blocked: number;
  /** Events that it could not judge because nobody saw their headers. */
  readonly blind: number;
  /** By its own allowlist. */
  readonly skipped: number;
}

export interface ScenarioCounts {
  /** Events that were judged. */
  readonly observed: number;
  /** By what all scenarios share. */
  readonly skipped: Readonly<Record<ScenarioSkip, number>>;
  readonly scenarios: Readonly<Record<string, ScenarioCount>>;
  /** Calls that were held back for a moment, and those for which there was no room to wait. */
  readonly delayed: number;
  readonly undelayed: number;
  readonly storeFailures: number;
}
