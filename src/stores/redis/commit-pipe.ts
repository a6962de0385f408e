import { Fault, shapeOf } from '../../core/fault.ts';
import type { Key } from '../../core/records.ts';
import { Gathering } from './gathering.ts';
import type { Link } from './link.ts';
import { callOf, commitScript } from './scripts.ts';
import { NO_WRITER, VERSION_WIDTH, type Version, versionText } from './versions.ts';

/** The records of one group, compared and written together; is told what became of it, once. */
export interface Commit {
  readonly keys: readonly Key[];
  /**
   * What the script is told. Asked for when it is sent, and not kept: texts are made of many small parts, which would wait with
   * the commit. Null where it cannot be made; then the commit has come to its end.
   */
  write(): CommitText | null;
  /** @param answeredAtMs the monotonic time at which the reply came, the same for all that shared a command */
  committed(answeredAtMs: number): void;
  /** Nothing was written; these are the texts of the records now, in their order. */
  conflicted(texts: readonly unknown[]): void;
  /** Whether anything was written is not known. */
  failed(cause: unknown): void;
}

export interface CommitText {
  /** The versions that the records must still have: see {@link expectationOf}. */
  readonly expected: string;
  /** The new text of each record, empty where it is only compared. */
  readonly texts: readonly string[];
}

const nothingExpected = '.'.repeat(VERSION_WIDTH);

/** What the script is told of a record that must still have this version. */
export function expectationOf(version: Version, isFirstOfGroup: boolean): string {
  return (
    (isFirstOfGroup ? '|' : '+') + (version.writer === NO_WRITER ? nothingExpected : versionText(version))
  );
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
  readonly #monotonicMs: () => number;
  readonly #waiting = new Gathering<Commit>((waiting) => this.#send(waiting));

  constructor(link: Link, monotonicMs: () => number) {
    this.#link = link;
    this.#monotonicMs = monotonicMs;
  }

  /** Writes the group if none of its records has changed. */
  submit(commit: Commit): void {
    if (this.#link.isCluster) this.#run([commit]);
    else this.#waiting.add(commit);
  }

  #send(waiting: readonly Commit[]): void {
    let run: Commit[] = [];
    let records = 0;
    for (const commit of waiting) {
      if (run.length === maxGroups || (run.length > 0 && records + commit.keys.length > maxRecords)) {
        this.#run(run);
        run = [];
        records = 0;
      }
      run.push(commit);
      records += commit.keys.length;
    }
    this.#run(run);
  }

  #run(waiting: readonly Commit[]): void {
    const written = writtenOf(waiting);
    const { commits } = written;
    if (commits.length === 0) return;
    this.#link.call(commitScript, commandOf(written)).then(
      (reply) => {
        if (!Array.isArray(reply) || reply.length !== commits.length) this.#link.doubt(firstKeyOf(commits));
        const answeredAtMs = this.#monotonicMs();
        commits.forEach((commit, index) => {
          tell(commit, Array.isArray(reply) ? reply[index] : undefined, answeredAtMs);
        });
      },
      (cause: unknown) => {
        for (const commit of commits) commit.failed(cause);
      },
    );
  }
}

interface Written {
  readonly commits: readonly Commit[];
  /** One for each of them. */
  readonly texts: readonly CommitText[];
  readonly records: number;
}

/** Those of the commits that can be written. */
function writtenOf(waiting: readonly Commit[]): Written {
  const commits: Commit[] = [];
  const texts: CommitText[] = [];
  let records = 0;
  for (const commit of waiting) {
    const text = commit.write();
    if (text === null) continue;
    commits.push(commit);
    texts.push(text);
    records += commit.keys.length;
  }
  return { commits, texts, records };
}

/** By place, here and below: an iterator for each of the lists would be half of what a command costs. */
function commandOf({ commits, texts, records }: Written): readonly string[] {
  const command = callOf(commitScript, records);
  let expected = '';
  for (let place = 0; place < commits.length; place += 1) {
    const { keys } = commits[place] as Commit;
    expected += (texts[place] as CommitText).expected;
    for (let at = 0; at < keys.length; at += 1) command.push((keys[at] as Key).text);
  }
  command.push(expected);
  for (let place = 0; place < texts.length; place += 1) {
    const { texts: own } = texts[place] as CommitText;
    for (let at = 0; at < own.length; at += 1) command.push(own[at] as string);
  }
  return command;
}

const firstKeyOf = ([commit]: readonly Commit[]): string => commit?.keys[0]?.text ?? '';

function tell(commit: Commit, answer: unknown, answeredAtMs: number): void {
  if (answer === 1) commit.committed(answeredAtMs);
  else if (Array.isArray(answer)) commit.conflicted(answer);
  else
    commit.failed(new Fault('STORE_FAILED', `The commit script answered a group with ${shapeOf(answer)}.`));
}
