import { type Command, Option } from 'commander';
import type { Engine } from '../../guard/engine.ts';
import { openEngine, openReplayStore } from '../engine-options.ts';
import { openStore, storeForms } from '../open-store.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { decideImmediately, decideOn, Replay, type ReplayOptions } from './replay.ts';

const help = `
Reads events, one JSON object a line, and prints one decision a line. Time is the events' own.

Example:
  $ portcullis replay examples/sample-day.jsonl --summary
  $ zcat events.jsonl.gz | portcullis replay - --policy strict.yaml --summary --quiet`;

type Flags = Omit<ReplayOptions, 'file'> & { readonly policy?: string; readonly store?: string };

/** Adds `replay` to the program. `end` receives the exit code. */
export function addReplay(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  program
    .command('replay')
    .description('decide a file of events as it would have been decided then')
    .argument('[file]', 'event file, - for standard input', '-')
    .option('--policy <file>', 'policies to decide by (YAML or JSON)')
    .option('--store <url>', `keep the records there instead of in memory: ${storeForms}`)
    .addOption(new Option('--format <name>', 'format of the file').choices(['events']).default('events'))
    .option('--summary', 'end with counts, first blocks and a chart', false)
    .option('--json', 'the summary as JSON too', false)
    .option('--quiet', 'no decision lines', false)
    .option('--skip-bad', 'count bad lines and go on', false)
    .addHelpText('after', help)
    .action(async (file: string, { policy, store, ...flags }: Flags) => {
      const engine = await openEngine(policy);
      const options = { file, ...flags };
      end(
        store === undefined
          ? await replayInMemory(engine, options, io)
          : await replayOn(store, engine, options, io),
      );
    });
}

async function replayInMemory(engine: Engine, options: ReplayOptions, io: CommandIo): Promise<ExitCode> {
  const { store, setTime } = openReplayStore();
  const code = await new Replay(options, decideImmediately(engine, store.immediate, setTime), io).run();
  const { evicted } = store.usage();
  if (evicted > 0) {
    io.stderr.write(
      `portcullis: ${evicted} records were dropped to stay within memory; later decisions on them start anew\n`,
    );
  }
  return code;
}

/** The records' keys are made with a secret of this run, so that nothing else in the store is touched. */
async function replayOn(
  url: string,
  engine: Engine,
  options: ReplayOptions,
  io: CommandIo,
): Promise<ExitCode> {
  const store = await openStore(url);
  try {
    return await new Replay(options, decideOn(engine, store), io).run();
  } finally {
    await store.close();
  }
}
