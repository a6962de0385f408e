interface Waiting<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How much leaves at once. */
export interface BatchLimits {
  /** Batches under way at the same time. */
  readonly maxUnderWay: number;
  /** Jobs in one batch. */
  readonly maxJobs: number;
}

/**
 * Sends jobs in batches: at once while there is room, together with what else waits when there is none. So a batch
 * grows with the load, and no job waits for another without need.
 */
export class Batches<Job, Result> {
  readonly #limits: BatchLimits;
  readonly #send: (jobs: readonly Job[]) => Promise<readonly Result[]>;
  #waiting: Waiting<Job, Result>[] = [];
  #underWay = 0;
  #isPumping = false;

  /** @param send answers each job, in order. */
  constructor(limits: BatchLimits, send: (jobs: readonly Job[]) => Promise<readonly Result[]>) {
    this.#limits = limits;
    this.#send = send;
  }

  add(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      if (this.#isPumping) return;
      // What is added in this turn, such as all the groups of one operation, leaves together.
      this.#isPumping = true;
      queueMicrotask(() => {
        this.#isPumping = false;
        this.#pump();
      });
    });
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#limits.maxUnderWay) {
      const batch = this.#waiting.slice(0, this.#limits.maxJobs);
      this.#waiting = this.#waiting.slice(batch.length);
      this.#underWay += 1;
      this.#send(batch.map(({ job }) => job)).then(
        (results) => {
          this.#ended();
          for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
        },
        (error: unknown) => {
          this.#ended();
          for (const { reject } of batch) reject(error);
        },
      );
    }
  }

  #ended(): void {
    this.#underWay -= 1;
    this.#pump();
  }
}
