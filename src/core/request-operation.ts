import { type Context, lookAround } from './context.ts';
import { type Course, type Operation, unseen } from './operation.ts';
import type { Policy } from './policy.ts';
import type { Key, Records } from './records.ts';
import { allKeys, type Request } from './request.ts';

/** What a request comes to in its context. */
export type Follow<P extends Policy> = (request: Request<P>, context: Context) => Course;

/** An operation on a request: one view of its records gives the context, and what follows from it the course. */
export class RequestOperation<P extends Policy> implements Operation {
  readonly keys: readonly Key[];
  readonly isWarm: boolean;
  readonly #request: Request<P>;
  readonly #follow: Follow<P>;
  readonly #isWide: boolean;

  constructor(request: Request<P>, isWarm: boolean, follow: Follow<P>, isWide = false) {
    this.keys = isWide ? allKeys(request) : request.keys.viewed;
    this.isWarm = isWarm;
    this.#request = request;
    this.#follow = follow;
    this.#isWide = isWide;
  }

  look(records: Records, t: number): Course {
    const context = lookAround(records, this.#request, t, this.#isWide);
    return context === null ? unseen : this.#follow(this.#request, context);
  }

  wider(): Operation {
    return new RequestOperation(this.#request, this.isWarm, this.#follow, true);
  }
}
