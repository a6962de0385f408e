import type { Decision } from '../../core/decision.ts';
import type { Key, StoredRecord } from '../../core/records.ts';
import type { RequestKeys } from '../../core/request.ts';
import type { AgentRecord } from '../../core/state.ts';
import type { Subject } from '../../core/subject.ts';
import type { OperationName } from '../../guard/engine.ts';
import type { GuardRequest } from '../../guard/signals.ts';

/** What a node asks of the server. */
export type MessageKind = 'view' | 'transact' | 'ping';

/** A message of an operation, and how far it came. */
export interface Message {
  readonly kind: MessageKind;
  readonly keys: readonly Key[];
  /** Whether the server has run it. */
  hasRun: boolean;
  /** Whether the node has heard what the server made of it. */
  hasReturned: boolean;
}

/** One operation of a guard, from its begin to its decision. */
export interface OperationTrace {
  readonly id: number;
  readonly node: number;
  readonly op: OperationName;
  readonly policy: string;
  readonly request: GuardRequest;
  readonly subject: Subject;
  readonly keys: RequestKeys;
  /** Of the K2 that agents over the cap share. */
  readonly otherAgentKey: Key<AgentRecord>;
  /** Time of the node. */
  readonly startedAt: number;
  readonly messages: Message[];
  /** Time of the server when it ran the last view, which is the operation's time; null before. */
  t: number | null;
  decision: Decision | null;
  /** Time of the node; null before it has ended. */
  endedAt: number | null;
}

/** One record changed by a step. */
export interface Change {
  readonly text: string;
  readonly kind: string;
  readonly policy: string;
  /** What the server held before, unless that had expired. */
  readonly before: StoredRecord | undefined;
  readonly after: StoredRecord;
}
