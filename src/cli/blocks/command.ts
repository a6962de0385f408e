import type { Command } from 'commander';
import { readKeyFile, secretsOf } from '../../config/key-file.ts';
import { type Scope, scopes } from '../../core/decision.ts';
import type { ActiveBlock } from '../../guard/block-steps.ts';
import type { Guard } from '../../guard/guard.ts';
import { createGuard } from '../../index.ts';
import { policiesOf } from '../engine-options.ts';
import { openStore, storeForms } from '../open-store.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { requestOf, type SubjectFlags, withSubject } from '../subject-options.ts';

const where = '--store redis://127.0.0.1:6379 --keys portcullis.keys.json';
const examples = {
  list: `portcullis blocks ${where}`,
  lift: `portcullis blocks lift login:K4:Wm0… --by alice --why "owner called" ${where}`,
  place: `portcullis blocks place K1 --ip 198.51.100.7 --level 3 --by alice --why "scanning" ${where}`,
  audit: `portcullis blocks audit ${where}`,
};

const helpOf = (...lines: readonly string[]): string =>
  `\nExample:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

interface Connection {
  readonly store: string;
  readonly keys: string;
  readonly environment: string;
  readonly policy?: string;
}

interface Note {
  readonly by: string;
  readonly why: string;
}

interface Target extends SubjectFlags {
  readonly level: string;
}

/** Adds `blocks`, `blocks lift`, `blocks place` and `blocks audit` to the program. `end` receives the exit code. */
export function addBlocks(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  const blocks = program
    .command('blocks')
    .description('see, lift and place blocks')
    .addHelpText('after', helpOf(...Object.values(examples)));
  connected(blocks.command('list', { isDefault: true }).description('all blocks that run now'))
    .addHelpText('after', helpOf(examples.list))
    .option('--json', 'a JSON object a line', false)
    .action((flags: Connection & { json: boolean }) =>
      withGuard(flags, async (guard) => {
        for await (const block of guard.blocks())
          io.stdout.write(`${flags.json ? JSON.stringify(block) : blockText(block)}\n`);
      }),
    );
  noted(connected(blocks.command('lift <id>').description('end a block')))
    .addHelpText('after', helpOf(examples.lift))
    .action((id: string, { by, why, ...connection }: Connection & Note) =>
      withGuard(connection, async (guard) => {
        const lifted = await guard.lift(id, { by, why });
        io.stdout.write(lifted ? 'lifted\n' : 'there was no such block running\n');
        end(lifted ? 0 : 1);
      }),
    );
  targeted(
    noted(connected(blocks.command('place').description('place a HARD block on one key of a subject'))),
  )
    .addHelpText('after', helpOf(examples.place))
    .addArgument(program.createArgument('<scope>', 'the key').choices(scopes))
    .action((scope: Scope, flags: Connection & Note & Target) =>
      withGuard(flags, async (guard) => {
        const { by, why, level } = flags;
        const placed = await guard.place(requestOf(flags), { scope, level: Number(level), by, why });
        io.stdout.write(`${blockText(placed)}\n`);
      }),
    );
  connected(blocks.command('audit').description('what operators did, newest last'))
    .addHelpText('after', helpOf(examples.audit))
    .action((flags: Connection) =>
      withGuard(flags, async (guard) => {
        for (const act of await guard.audit()) io.stdout.write(`${JSON.stringify(act)}\n`);
      }),
    );
}

const blockText = ({ id, outcome, level, until }: ActiveBlock): string =>
  `${outcome} level ${level} until ${new Date(until).toISOString()}  ${id}`;

function connected(command: Command): Command {
  return command
    .requiredOption('--store <url>', storeForms)
    .requiredOption('--keys <file>', 'key file, as keys rotate makes it')
    .option('--environment <name>', 'part of every key', 'default')
    .option('--policy <file>', 'policies (YAML or JSON)');
}

const noted = (command: Command): Command =>
  command.requiredOption('--by <name>', 'who does it').requiredOption('--why <text>', 'why');

const targeted = (command: Command): Command =>
  withSubject(command).requiredOption('--level <n>', '1 to 6: 15 s, 1 min, 5 min, 30 min, 6 h, 24 h');

async function withGuard(flags: Connection, act: (guard: Guard) => Promise<void>): Promise<void> {
  const guard = createGuard({
    ...secretsOf(readKeyFile(flags.keys)),
    store: await openStore(flags.store),
    environment: flags.environment,
    policies: await policiesOf(flags.policy),
  });
  try {
    await act(guard);
  } finally {
    await guard.close();
  }
}
