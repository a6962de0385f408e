import type { Engine } from '../../guard/engine.ts';
import type { MemoryStore } from '../../stores/memory/index.ts';
import { engineOf, openReplayStore } from '../engine-options.ts';
import { decideEntries } from '../replay/entry-decider.ts';
import { type Input, openInput } from '../replay/input.ts';
import { type LogFlags, refuseStrayOptions } from '../replay/log-options.ts';
import { assertActionsBound, loginRoutesOf, openLog } from '../replay/log-setup.ts';
import { decideLogged } from '../replay/logged-decider.ts';
import { LoggedNotes } from '../replay/logged-notes.ts';
import { decideImmediately, runAtOnce } from '../replay/replay.ts';
import { askedOnce, type RequestJudge } from '../replay/request-decider.ts';
import { openRequestReading, type Rules, readRules, requestDeciderOf } from '../replay/rules-file.ts';
import { LogNotes } from '../replay/summary.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { jsonLine } from '../visible.ts';
import { Comparison } from './comparison.ts';
import { comparisonText } from './comparison-text.ts';
import { type EntryReader, eventReader, loggedReader, logReader } from './entry-reader.ts';
import { runCompare, type Side } from './run-compare.ts';

/** Options of `compare`. */
export interface CompareFlags extends LogFlags {
  readonly json: boolean;
  readonly skipBad: boolean;
}

/** Replays the file by both policies and tells the differences; 1 when there are some. */
export async function compare(
  policies: { readonly a: string; readonly b: string },
  file: string,
  flags: CompareFlags,
  io: CommandIo,
): Promise<ExitCode> {
  const isLog = flags.format !== 'events' && flags.format !== 'decisions';
  const notes = isLog ? new LogNotes() : null;
  const comparison = new Comparison(notes, flags.format === 'decisions' ? new LoggedNotes() : null);
  const [a, b] = openSides(policies, flags, () => {
    if (notes !== null) notes.nameless += 1;
  });
  const input = openInput(file, io);
  const reader = readerOf(comparison, flags, input);
  if (isLog) for (const { engine } of [a, b]) assertActionsBound(engine.policies, flags);
  await runCompare({ input, reader, a: a.decide, b: b.decide, comparison, skipBad: flags.skipBad }, io);
  const names = { a: nameOf(policies.a), b: nameOf(policies.b) };
  io.stdout.write(flags.json ? jsonLine(comparison) : comparisonText(comparison, names));
  warnOfDropped([a.store, b.store], io);
  if (notes?.isForeign(comparison.events)) {
    io.stderr.write(`portcullis: nothing in it is a line of ${flags.format}. Is --format right?\n`);
    return 2;
  }
  return comparison.differences > 0 ? 1 : 0;
}

function readerOf({ log, logged }: Comparison, flags: CompareFlags, input: Input): EntryReader {
  const { format } = flags;
  const isLog = format !== 'events' && format !== 'decisions' && log !== null;
  const reader = isLog ? logReader(openLog(format, flags, input), log) : eventReader;
  // What is wrong in itself is told first.
  refuseStrayOptions(flags);
  return logged === null ? reader : loggedReader(logged);
}

const nameOf = (file: string): string => (file === '-' ? 'the defaults' : file);

interface OpenSide {
  readonly decide: Side;
  readonly engine: Engine;
  readonly store: MemoryStore;
}

/** Both policies. Where they say the same about requests, these are judged once: it is the dearer part of a log. */
function openSides(
  policies: { readonly a: string; readonly b: string },
  flags: CompareFlags,
  onNameless: () => void,
): [OpenSide, OpenSide] {
  const rulesA = readRules(fileOf(policies.a));
  const rulesB = readRules(fileOf(policies.b));
  const groundA = openReplayStore(2);
  const groundB = openReplayStore(2);
  const reading = openRequestReading();
  const requestsA = askedOnce(requestDeciderOf(rulesA, groundA.store, reading));
  const requestsB = sameOnRequests(rulesA, rulesB)
    ? requestsA
    : requestDeciderOf(rulesB, groundB.store, reading);
  return [
    openSide(rulesA, groundA, requestsA, flags, onNameless),
    openSide(rulesB, groundB, requestsB, flags, () => {}),
  ];
}

const fileOf = (name: string): string | undefined => (name === '-' ? undefined : name);

function sameOnRequests(a: Rules, b: Rules): boolean {
  return JSON.stringify([a.limits, a.scenarios]) === JSON.stringify([b.limits, b.scenarios]);
}

function openSide(
  rules: Rules,
  { store, setTime }: ReturnType<typeof openReplayStore>,
  request: RequestJudge,
  flags: CompareFlags,
  onNameless: () => void,
): OpenSide {
  const engine = engineOf(rules.policies);
  const login = decideImmediately(engine, store.immediate, setTime);
  const again = decideLogged(engine, runAtOnce(store.immediate, setTime));
  const decide = decideEntries({ login, request, setTime, routes: loginRoutesOf(flags), onNameless });
  return {
    engine,
    store,
    decide: (entry) =>
      'kind' in entry ? (entry.kind === 'logged' ? again(entry) : decide(entry)) : login(entry),
  };
}

function warnOfDropped(stores: readonly MemoryStore[], io: CommandIo): void {
  const evicted = stores.reduce((total, store) => total + store.usage().evicted, 0);
  if (evicted === 0) return;
  io.stderr.write(
    `portcullis: ${evicted} records were dropped to stay within memory; later decisions on them start anew\n`,
  );
}
