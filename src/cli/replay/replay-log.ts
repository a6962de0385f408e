import type { LogFormatName } from '../../abuse/log-formats/log-entry.ts';
import type { Engine } from '../../guard/engine.ts';
import type { MemoryStore } from '../../stores/memory/index.ts';
import { engineOf } from '../engine-options.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { decideEntries } from './entry-decider.ts';
import { openInput } from './input.ts';
import { type LogFlags, refuseStrayOptions } from './log-options.ts';
import { LogReplay, type LogReplayOptions } from './log-replay.ts';
import { assertActionsBound, loginRoutesOf, openLog } from './log-setup.ts';
import type { Decide } from './replay.ts';
import { readRules, requestDeciderOf } from './rules-file.ts';

/** Where records are kept, and how logins are decided there. */
export interface Ground {
  readonly decide: (engine: Engine) => Decide;
  /** Null when it has a time of its own. */
  readonly store: MemoryStore | null;
  readonly setTime: (t: number) => void;
}

export interface ReplayLogOptions extends LogFlags, LogReplayOptions {
  readonly format: LogFormatName;
}

/** Replays a log by the rules of a file, or the defaults. */
export async function replayLog(options: ReplayLogOptions, ground: Ground, io: CommandIo): Promise<ExitCode> {
  const { store, setTime } = ground;
  const rules = readRules(options.policy);
  const routes = loginRoutesOf(options);
  const input = openInput(options.file, io);
  const log = openLog(options.format, options, input);
  refuseStrayOptions(options);
  assertActionsBound(rules.policies, options);
  const judge = decideEntries({
    login: ground.decide(engineOf(rules.policies)),
    request: store === null ? null : requestDeciderOf(rules, store),
    setTime,
    routes,
    onNameless: () => {
      replay.notes.nameless += 1;
    },
  });
  const replay = new LogReplay(options, log, judge, io);
  return replay.run(input);
}
