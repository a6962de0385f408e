import type { LogEntry, LogFormat } from '../../abuse/log-formats/log-entry.ts';
import { parseEventLine, type ReplayEvent } from '../replay/event-line.ts';
import { type LoggedLine, parseLoggedLine } from '../replay/logged-line.ts';
import type { LoggedNotes } from '../replay/logged-notes.ts';
import { adviceOnEvent } from '../replay/replay.ts';
import type { LogNotes } from '../replay/summary.ts';
import { attackLabelOf } from './attack-label.ts';

/** An event or entry of a log, and whether it is known to be an attack; null when nobody says. */
export interface Labelled {
  readonly entry: ReplayEvent | LogEntry | LoggedLine;
  readonly attack: boolean | null;
}

/** Reads lines into entries. @throws Fault `INPUT_INVALID` for a line of events that is none. */
export interface EntryReader {
  read(line: string, number: number): readonly Labelled[];
  /** What to do about a line that is bad; null: nothing better than what is always told. */
  adviceOn?(line: string): string | null;
  end(): readonly Labelled[];
}

/** Event lines, with the label `"attack": true` or `false` where there is one. */
export const eventReader: EntryReader = {
  read: (line) => [{ entry: parseEventLine(line), attack: attackLabelOf(line) }],
  adviceOn: adviceOnEvent,
  end: () => [],
};

/** Lines of a decision log; what cannot be decided again is noted. Labels are as those of events. */
export function loggedReader(notes: LoggedNotes): EntryReader {
  return {
    read(line, number) {
      const entry = notes.note(parseLoggedLine(line), number);
      return entry === null ? [] : [{ entry, attack: attackLabelOf(line) }];
    },
    end: () => [],
  };
}

/** Lines of a log; what is not understood is noted. */
export function logReader(log: LogFormat, notes: LogNotes): EntryReader {
  let found: Labelled[] = [];
  const collect = (entry: LogEntry): void => {
    found.push({ entry, attack: null });
  };
  const take = (): readonly Labelled[] => {
    const taken = found;
    if (taken.length > 0) found = [];
    return taken;
  };
  return {
    read(line, number) {
      notes.add(log.read(line, collect), number, line);
      return take();
    },
    end() {
      log.end(collect);
      return take();
    },
  };
}
