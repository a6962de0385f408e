import { Fault, shapeOf } from '../../core/fault.ts';
import { textOf, type Write } from './envelope.ts';
import type { Link } from './link.ts';
import { textIn } from './reader.ts';
import { commitScript } from './scripts.ts';

/** One record of a commit: the version it must still have, and what to write, if anything. */
export interface CommitRecord {
  readonly text: string;
  readonly expected: string;
  readonly write: Write | undefined;
}

/** The records of one group, to be written together under one new version. */
export interface Commit {
  readonly records: readonly CommitRecord[];
  readonly version: string;
}

/** Null when the group was written; else the texts of its records now, in their order. */
export type Conflict = readonly (string | null)[] | null;

interface Waiting {
  readonly commit: Commit;
  readonly resolve: (conflict: Conflict) => void;
  readonly reject: (cause: unknown) => void;
}

/** Bounds on one run of the script: other clients of the server wait while it runs. */
const maxGroups = 16;

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
    const size = this.#link.isCluster ? 1 : maxGroups;
    for (let from = 0; from < waiting.length; from += size) this.#run(waiting.slice(from, from + size));
  }

  #run(groups: readonly Waiting[]): void {
    const keys: string[] = [];
    const args = [String(groups.length)];
    for (const { commit } of groups) args.push(String(commit.records.length));
    for (const { commit } of groups) {
      for (const { text, expected, write } of commit.records) {
        keys.push(text);
        args.push(expected, ttlOf(write), write === undefined ? '' : textOf(write, commit.version));
      }
    }
    this.#link.run(commitScript, keys, args).then(
      (reply) => {
        groups.forEach((group, index) => {
          settle(group, reply, index);
        });
      },
      (cause) => {
        for (const group of groups) group.reject(cause);
      },
    );
  }
}

function ttlOf(write: Write | undefined): string {
  return write === undefined ? '' : String(write.keepMs);
}

function settle({ commit, resolve, reject }: Waiting, reply: unknown, index: number): void {
  const answer: unknown = Array.isArray(reply) ? reply[index] : undefined;
  if (answer === 1) resolve(null);
  else if (Array.isArray(answer)) resolve(commit.records.map((_, place) => textIn(answer, place)));
  else reject(new Fault('STORE_FAILED', `The commit script answered a group with ${shapeOf(answer)}.`));
}
