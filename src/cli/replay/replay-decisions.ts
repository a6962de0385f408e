import { randomBytes } from 'node:crypto';
import { engineOf } from '../engine-options.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { loggedSource } from './logged-decider.ts';
import { LoggedNotes, leftOutTexts } from './logged-notes.ts';
import { Replay, type ReplayOptions, type RunAt } from './replay.ts';
import { readRules } from './rules-file.ts';
import { Summary } from './summary.ts';

export interface ReplayDecisionsOptions extends ReplayOptions {
  /** A policy file, or the configuration of a service. */
  readonly policy?: string;
}

/** Replays the decision log of a service by the policies of a file, or the defaults. */
export async function replayDecisions(
  options: ReplayDecisionsOptions,
  run: RunAt,
  io: CommandIo,
): Promise<ExitCode> {
  const notes = new LoggedNotes();
  // The hashes are those of the service, so it is the environment that keeps the records of this run apart in a store.
  const environment = `replay-${randomBytes(8).toString('hex')}`;
  const source = loggedSource(engineOf(readRules(options.policy).policies, environment), run, notes);
  const code = await new Replay(options, source, io, new Summary(null, notes)).run();
  if (!options.summary) for (const text of leftOutTexts(notes)) io.stderr.write(`portcullis: ${text}\n`);
  return code;
}
