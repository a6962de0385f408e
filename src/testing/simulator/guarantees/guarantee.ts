import type { StoredRecord } from '../../../core/records.ts';
import type { GuardEvents } from '../../../guard/events.ts';
import type { Change, MessageKind, OperationTrace } from '../operation-trace.ts';

/** What watchers may look at. */
export interface Surroundings {
  /** A record as the server holds it now. */
  read(text: string): StoredRecord | undefined;
  /** Time of a node. */
  nodeNow(node: number): number;
  /** How long a record lasts after its last write. */
  readonly recordMs: number;
  /** Whether nodes stand still now and then, so that they may hear of their own deadlines late. */
  readonly hasPauses: boolean;
}

/** Says that the guarantee does not hold. The first who says so ends the run. */
export type Violate = (what: string) => void;

/** An event of a guard, by name. */
export type Telling = {
  [N in keyof GuardEvents]: { readonly name: N; readonly event: GuardEvents[N] };
}[keyof GuardEvents];

/** Sees everything that happens in a simulated world. */
export interface Watcher {
  /** A node sends a message to the server. */
  sent?(node: number, kind: MessageKind, operation: OperationTrace | null): void;
  /** The server shows an operation its records. */
  viewed?(operation: OperationTrace): void;
  /** The server has changed records. */
  committed?(operation: OperationTrace, changes: readonly Change[]): void;
  /** A guard has decided. */
  decided?(operation: OperationTrace): void;
  /** The guard of a node has told something. */
  told?(node: number, telling: Telling): void;
  /** The world has been well for a quarter of an hour, and ends. */
  ended?(): void;
}

/** Something that holds in every world, whatever happens in it. */
export interface Guarantee {
  readonly name: string;
  /** In a sentence. */
  readonly says: string;
  watch(around: Surroundings, violate: Violate): Watcher;
}

/** A guarantee about every decision that the store took part in. */
export function ofNormalDecisions(
  name: string,
  says: string,
  holds: (operation: OperationTrace, decision: NonNullable<OperationTrace['decision']>) => string | null,
): Guarantee {
  return {
    name,
    says,
    watch: (_, violate) => ({
      decided: (operation) => {
        if (operation.decision?.mode !== 'NORMAL') return;
        const broken = holds(operation, operation.decision);
        if (broken !== null) violate(broken);
      },
    }),
  };
}

/** A guarantee about every change of a record. */
export function ofChanges(
  name: string,
  says: string,
  holds: (change: Change, operation: OperationTrace) => string | null,
): Guarantee {
  return {
    name,
    says,
    watch: (_, violate) => ({
      committed: (operation, changes) => {
        for (const change of changes) {
          const broken = holds(change, operation);
          if (broken !== null) violate(broken);
        }
      },
    }),
  };
}
