import { Fault, shapeOf } from '../../core/fault.ts';
import type { Link } from './link.ts';
import { commitScript } from './scripts.ts';

/** The records of one group, compared and written together. Three lists in one order. */
export interface Commit {
  readonly keys: readonly string[];
  /** The versions that the records must still have. */
  readonly expected: readonly string[];
  /** The new texts; empty where a record is only compared. */
  readonly texts: readonly string[];
}

/** Null when the group was written; else the texts of its records now, in their order. */
export type Conflict = readonly unknown[] | null;

interface Waiting {
  readonly commit: Commit;
  readonly resolve: (conflict: Conflict) => void;
  readonly reject: (cause: unknown) => void;
}

/** How much one run of the script may write: other clients of the server wait while it runs. One group always may. */
const maxGroups = 16;
const maxRecords = 256;

/**
 * Sends commits. Those of groups that are ready in the same turn share one run of the script: starting it costs the
 * server more than a group does. On a cluster groups live in different slots, and each has a run of its own.
 */
export class CommitPipe {
  readonly #link: Link;
  #waiting: Waiting[] = [];

  constructor(link: Link) {
    this.#link = link;
  }

  /** Writes the group if none of its records has changed. */
  submit(commit: Commit): Promise<Conflict> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, resolve, reject });
      if (this.#waiting.length === 1) queueMicrotask(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const most = this.#link.isCluster ? 1 : maxGroups;
    let run: Waiting[] = [];
    let records = 0;
    for (const group of waiting) {
      if (run.length === most || (run.length > 0 && records + group.commit.keys.length > maxRecords)) {
        this.#run(run);
        run = [];
        records = 0;
      }
      run.push(group);
      records += group.commit.keys.length;
    }
    this.#run(run);
  }

  #run(groups: readonly Waiting[]): void {
    const keys: string[] = [];
    const args = [String(groups.length)];
    for (const { commit } of groups) args.push(String(commit.keys.length));
    for (const { commit } of groups) {
      for (let place = 0; place < commit.keys.length; place += 1) {
        keys.push(commit.keys[place] ?? '');
        args.push(commit.expected[place] ?? '', commit.texts[place] ?? '');
      }
    }
    this.#link.run(commitScript, keys, args).then(
      (reply) => {
        groups.forEach((group, index) => {
          settle(group, Array.isArray(reply) ? reply[index] : undefined);
        });
      },
      (cause: unknown) => {
        for (const group of groups) group.reject(cause);
      },
    );
  }
}

function settle({ resolve, reject }: Waiting, answer: unknown): void {
  if (answer === 1) resolve(null);
  else if (Array.isArray(answer)) resolve(answer);
  else reject(new Fault('STORE_FAILED', `The commit script answered a group with ${shapeOf(answer)}.`));
}
