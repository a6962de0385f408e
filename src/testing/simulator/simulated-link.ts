import { Fault } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import type { HeldRecord, Store } from '../../stores/store.ts';
import type { Random } from '../random.ts';
import type { ActiveTroubles } from './active-troubles.ts';
import type { Message, MessageKind, OperationTrace } from './operation-trace.ts';
import type { ServerPlan } from './scenario.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { SimulatedServer, Work } from './simulated-server.ts';
import type { Timeline } from './timeline.ts';

/** What a link needs of the world around it. */
export interface LinkSurroundings {
  readonly timeline: Timeline;
  readonly server: SimulatedServer;
  readonly troubles: ActiveTroubles;
  readonly plan: ServerPlan;
  /** The operation that is running right now; the next call belongs to it. */
  current(): OperationTrace | null;
  /** An operation goes on: what it calls now is its own. */
  resume(operation: OperationTrace): void;
  sent(node: number, kind: MessageKind, operation: OperationTrace | null): void;
  nextRequest(): number;
}

/** How a message ends: with what the server's work gave, or with what it threw. */
type Reply<T> = () => T;

/** A node's store: every call is a message to the server and, if all goes well, one back. */
export class SimulatedLink implements Store {
  readonly #node: SimulatedNode;
  readonly #around: LinkSurroundings;
  readonly #random: Random;

  constructor(node: SimulatedNode, around: LinkSurroundings, random: Random) {
    this.#node = node;
    this.#around = around;
    this.#random = random;
  }

  view<T>(keys: readonly Key[], look: Work<T>): Promise<T> {
    const { server } = this.#around;
    const operation = this.#operation();
    return this.#call('view', keys, operation, () => {
      const result = server.view(operation, keys, look);
      return () => result;
    });
  }

  transact<T>(keys: readonly Key[], step: Work<T>): Promise<T> {
    const { server, troubles } = this.#around;
    const operation = this.#operation();
    const request = this.#around.nextRequest();
    return this.#call('transact', keys, operation, () => {
      const forgets = troubles.find('forget');
      if (forgets !== undefined) server.forget(keys, forgets.share, this.#random);
      const { isDuplicate, result } = server.transact(
        operation,
        request,
        keys,
        step,
        this.#meets('conflict'),
      );
      return isDuplicate ? null : () => result as T;
    });
  }

  ping(): Promise<void> {
    return this.#call('ping', [], null, () => () => undefined);
  }

  async *held(): AsyncGenerator<HeldRecord> {}

  async close(): Promise<void> {}

  #operation(): OperationTrace {
    const operation = this.#around.current();
    if (operation === null)
      throw new Fault('INVARIANT_BROKEN', 'A store was called outside of an operation.');
    return operation;
  }

  #call<T>(
    kind: MessageKind,
    keys: readonly Key[],
    operation: OperationTrace | null,
    run: () => Reply<T> | null,
  ): Promise<T> {
    const message: Message = { kind, keys, hasRun: false, hasReturned: false };
    operation?.messages.push(message);
    this.#around.sent(this.#node.index, kind, operation);
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      /** Of a doubled message only the first answer is heard: a second one comes to nobody. */
      const answer = (reply: Reply<T>) =>
        this.#return(() => {
          if (isAnswered) return;
          isAnswered = true;
          message.hasReturned = reply !== refused;
          if (operation !== null) this.#around.resume(operation);
          settle(reply, resolve, reject);
        });
      const arrive = () => {
        const isFull = kind === 'transact' && this.#meets('full');
        if (!this.#around.server.isUp || isFull) return answer(refused);
        // A second copy of a question changes nothing; of a step the server knows it by its number.
        if (message.hasRun && kind !== 'transact') return;
        message.hasRun = true;
        const reply = attempt(run);
        if (reply !== null && !this.#meets('lose-replies')) answer(reply);
      };
      this.#send(arrive, () => answer(refused));
    });
  }

  #send(arrive: () => void, refuse: () => void): void {
    const { timeline, troubles } = this.#around;
    const cut = troubles.find('cut', ({ node }) => node === this.#node.index);
    if (cut !== undefined) {
      if (cut.isRefused) timeline.after(1, refuse);
      return;
    }
    if (this.#meets('lose-requests')) return;
    timeline.after(this.#travelMs(), arrive);
    if (this.#meets('duplicate')) timeline.after(this.#travelMs(), arrive);
  }

  #return(run: () => void): void {
    const { timeline, troubles } = this.#around;
    timeline.after(this.#travelMs(), () => {
      if (troubles.find('cut', ({ node }) => node === this.#node.index) === undefined)
        this.#node.deliver(run);
    });
  }

  #travelMs(): number {
    const [least, most] = this.#around.plan.latencyMs;
    const slow = this.#around.troubles.find('slow');
    return (
      this.#random.between(least, most) + (slow === undefined ? 0 : this.#random.between(0, slow.extraMs))
    );
  }

  #meets(kind: 'lose-requests' | 'lose-replies' | 'duplicate' | 'conflict' | 'full'): boolean {
    const trouble = this.#around.troubles.find(kind);
    return trouble !== undefined && this.#random.chance(trouble.share);
  }
}

const refused = (): never => {
  throw new Fault('STORE_FAILED', 'The simulated server cannot be reached.');
};

/** What the work throws is an answer too. */
function attempt<T>(run: () => Reply<T> | null): Reply<T> | null {
  try {
    return run();
  } catch (cause) {
    return () => {
      throw cause;
    };
  }
}

function settle<T>(reply: Reply<T>, resolve: (value: T) => void, reject: (cause: unknown) => void): void {
  try {
    resolve(reply());
  } catch (cause) {
    reject(cause);
  }
}
