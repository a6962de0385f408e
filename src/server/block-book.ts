import { limiterNamespace } from '../core/keys.ts';
import type { AuditTrail } from '../guard/audit-trail.ts';
import type { ActiveBlock } from '../guard/block-steps.ts';
import type { Guard } from '../guard/guard.ts';
import { takeTurns } from '../guard/take-turns.ts';
import type { ClientBlock, Limiter } from '../limits/index.ts';
import { checkedNote, type OperatorNote } from '../operators/operator-note.ts';
import type { WalkOptions } from '../stores/store.ts';

/** A block that runs: of a policy, or of a limiter on a client of the gateway. */
export interface RunningBlock extends Omit<ActiveBlock, 'scope'> {
  readonly scope: ActiveBlock['scope'] | ClientBlock['scope'];
}

/** The blocks of policies and of the gateway as one list, each to be lifted by its id. */
export class BlockBook {
  readonly #guard: Pick<Guard, 'blocks' | 'lift'>;
  readonly #limiter: Pick<Limiter, 'blocks' | 'lift'>;
  readonly #audit: AuditTrail;

  constructor(
    guard: Pick<Guard, 'blocks' | 'lift'>,
    limiter: Pick<Limiter, 'blocks' | 'lift'>,
    audit: AuditTrail,
  ) {
    this.#guard = guard;
    this.#limiter = limiter;
    this.#audit = audit;
  }

  /** The store's time, by which blocks end. */
  now(): Promise<number> {
    return this.#audit.now();
  }

  /**
   * All blocks that run now. Policies and gateway take turns, so that a list that is cut off has some of both, however many
   * one of them has.
   */
  running(options?: WalkOptions): AsyncGenerator<RunningBlock> {
    return takeTurns<RunningBlock>([this.#guard.blocks(options), this.#ofGateway(options)]);
  }

  async *#ofGateway(options: WalkOptions | undefined): AsyncGenerator<RunningBlock> {
    for await (const block of this.#limiter.blocks(options)) {
      const [policy = ''] = block.id.split(':', 1);
      yield { ...block, policy, outcome: 'HARD_BLOCK' };
    }
  }

  /** Ends the blocks of an id, HARD and SOFT; what is remembered of them stays. False when none was running. */
  async lift(id: string, note: OperatorNote): Promise<boolean> {
    if (!id.startsWith(limiterNamespace)) return this.#guard.lift(id, note);
    return this.#audit.accompany(
      { what: 'lifted', block: id, ...checkedNote(note) },
      () => this.#limiter.lift(id),
      (isLifted) => (isLifted ? null : undefined),
    );
  }
}
