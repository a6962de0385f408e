import type { Decision } from '../../core/decision.ts';
import type { Engine } from '../../guard/engine.ts';
import { rememberedComponents } from '../engine-options.ts';
import { type LoggedLine, parseLoggedLine } from './logged-line.ts';
import type { LoggedNotes } from './logged-notes.ts';
import { LoggedSubjects } from './logged-subjects.ts';
import type { ReplaySource, RunAt } from './replay.ts';

/** Decides what was decided before, on the hashes that the service had. */
export function decideLogged(engine: Engine, run: RunAt): (line: LoggedLine) => Decision | Promise<Decision> {
  const subjects = new LoggedSubjects(rememberedComponents());
  return ({ t, op, action, cost, hashes }) =>
    run(engine.prepareFor(subjects.of(hashes), op, action, cost).operation, t);
}

/** The lines of a decision log as a replay reads them; each decision is held against the one that was taken. */
export function loggedSource(engine: Engine, run: RunAt, notes: LoggedNotes): ReplaySource<LoggedLine> {
  return {
    read: ({ text, number }) => notes.note(parseLoggedLine(text), number),
    decide: decideLogged(engine, run),
    noted: (line, decision, number) => notes.hold(line, decision, number),
  };
}
