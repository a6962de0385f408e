import type { Policy } from '../../core/policy.ts';
import { type Effort, fullEffort, quickEffort } from '../../testing/prover/effort.ts';
import { prove } from '../../testing/prover/prove.ts';
import { makeNamedFolder } from '../option-folder.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { reportJson } from './report-json.ts';
import { reportText } from './report-text.ts';
import { tracesOf, writeTraces } from './traces.ts';

export interface ProveCommandOptions {
  readonly policies: readonly Policy[];
  /** As it was given, for the line that replays a trace. */
  readonly policyFile?: string | undefined;
  readonly depth?: number | undefined;
  readonly seconds?: number | undefined;
  readonly seed: number;
  /** Folder for the traces; without it only those of broken guarantees are shown. */
  readonly out?: string | undefined;
  readonly json: boolean;
  readonly effort: Effort;
  /** Time in ms. */
  readonly clock: () => number;
}

export const efforts = { quick: quickEffort, full: fullEffort } as const;

/** Searches, reports, and says whether a guarantee is broken. */
export async function runProve(options: ProveCommandOptions, io: CommandIo): Promise<ExitCode> {
  const { policies, policyFile, seed, out, json } = options;
  // Before the search: after a minute of it nobody wants to hear that there is no room for what it found.
  if (out !== undefined) makeNamedFolder('--out', out);
  const proof = prove({
    policies,
    seed,
    effort: effortOf(options),
    isOver: deadlineOf(options),
    onPart: (part) => {
      if (io.isTerminal) io.stderr.write(`\r${part} …\u001b[K`);
    },
  });
  if (io.isTerminal) io.stderr.write('\r\u001b[K');
  const traces = tracesOf(proof);
  if (out !== undefined) await writeTraces(out, traces);
  const frame = { proof, seed, policyFile, out };
  io.stdout.write(json ? reportJson(frame) : reportText(frame));
  const isBroken = proof.brokenInOutages.length > 0 || proof.policies.some(({ broken }) => broken.length > 0);
  return isBroken ? 1 : 0;
}

/** With a depth given, states are bounded by memory alone; with a time given, walks go on until it is up. */
function effortOf({ effort, depth, seconds }: ProveCommandOptions): Effort {
  return {
    ...effort,
    depth: depth ?? effort.depth,
    maxStates: depth === undefined ? effort.maxStates : MOST_STATES,
    walks: seconds === undefined ? effort.walks : Number.MAX_SAFE_INTEGER,
  };
}

const MOST_STATES = 100_000;

function deadlineOf({ seconds, clock }: ProveCommandOptions): (share: number) => boolean {
  if (seconds === undefined) return () => false;
  const startedAt = clock();
  return (share) => clock() - startedAt >= share * seconds * 1_000;
}
