import { type Context, lookAround } from './context.ts';
import { type Course, type Operation, unseen } from './operation.ts';
import type { Policy } from './policy.ts';
import type { Key, Records } from './records.ts';
import { allKeys, type Request } from './request.ts';

/** What a request comes to in its context. */
export type Follow<P extends Policy> = (request: Request<P>, context: Context) => Course;

/** What a view has to have seen: see {@link Operation.isWarm} and {@link Operation.isInTurn}. */
export type Sight = 'warm' | 'fresh' | 'in turn';

/** An operation on a request: one view of its records gives the context, and what follows from it the course. */
export class RequestOperation<P extends Policy> implements Operation {
  readonly keys: readonly Key[];
  readonly #sight: Sight;
  readonly #request: Request<P>;
  readonly #follow: Follow<P>;
  readonly #isWide: boolean;

  constructor(request: Request<P>, sight: Sight, follow: Follow<P>, isWide = false) {
    this.keys = isWide ? allKeys(request) : request.keys.viewed;
    this.#sight = sight;
    this.#request = request;
    this.#follow = follow;
    this.#isWide = isWide;
  }

  get isWarm(): boolean {
    return this.#sight === 'warm';
  }

  get isInTurn(): boolean {
    return this.#sight === 'in turn';
  }

  look(records: Records, t: number): Course {
    const context = lookAround(records, this.#request, t, this.#isWide);
    return context === null ? unseen : this.#follow(this.#request, context);
  }

  wider(): Operation {
    return new RequestOperation(this.#request, this.#sight, this.#follow, true);
  }
}
