import type { Command } from 'commander';
import { type Scope, scopes } from '../../core/decision.ts';
import { limiterNamespace } from '../../core/keys.ts';
import type { RunningBlock } from '../../server/block-book.ts';
import { storeForms } from '../store-forms.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { requestOf, type SubjectFlags, withSubject } from '../subject-options.ts';
import { jsonLine } from '../visible.ts';
import type { Blocks, Connection } from './open-blocks.ts';

const where = '--store redis://127.0.0.1:6379 --keys portcullis.keys.json';
const examples = {
  list: `portcullis blocks ${where}`,
  lift: `portcullis blocks lift login:K4:Wm0… --by alice --why "owner called" ${where}`,
  place: `portcullis blocks place K1 --ip 198.51.100.7 --level 3 --by alice --why "scanning" ${where}`,
  audit: `portcullis blocks audit ${where}`,
};

/** What a service calls its limits unless told otherwise. */
const defaultLimiter = 'default';

const helpOf = (...lines: readonly string[]): string =>
  `\nExample:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;

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
    .hook('preSubcommand', refuseUnknown)
    .addHelpText('after', helpOf(...Object.values(examples)));
  connected(blocks.command('list', { isDefault: true }).description('all blocks that run now'))
    .addHelpText('after', helpOf(examples.list))
    .option('--json', 'a JSON object a line', false)
    .option('--limiter <name>', 'the gateway limits whose blocks are listed too', defaultLimiter)
    .action((flags: Connection & { json: boolean; limiter: string }) =>
      withBlocks(flags, { limiter: flags.limiter }, async ({ book }) => {
        for await (const block of book.running())
          io.stdout.write(flags.json ? jsonLine(block) : `${blockText(block)}\n`);
      }),
    );
  noted(connected(blocks.command('lift <id>').description('end the blocks of a key, hard and soft')))
    .addHelpText('after', helpOf(examples.lift))
    .action((id: string, { by, why, ...connection }: Connection & Note) =>
      withBlocks(connection, { limiter: limiterOf(id) }, async ({ book }) => {
        const lifted = await book.lift(id, { by, why });
        io.stdout.write(lifted ? 'lifted\n' : 'there was no such block running\n');
        end(lifted ? 0 : 1);
      }),
    );
  targeted(
    noted(connected(blocks.command('place').description('place a HARD block on one key of a subject'))),
  )
    .addHelpText('after', helpOf(examples.place))
    .addArgument(program.createArgument('<scope>', 'the key').choices(scopes))
    .option('--json', 'the block as a JSON object', false)
    .action((scope: Scope, flags: Connection & Note & Target & { json: boolean }) =>
      withBlocks(flags, { mayBeNew: true }, async ({ guard }) => {
        const { by, why, level } = flags;
        const placed = await guard.place(requestOf(flags), { scope, level: Number(level), by, why });
        io.stdout.write(flags.json ? jsonLine(placed) : `${blockText(placed)}\n`);
      }),
    );
  connected(blocks.command('audit').description('what operators did, newest last'))
    .addHelpText('after', helpOf(examples.audit))
    .option('--json', 'a JSON object a line, as without it', false)
    .action((flags: Connection) =>
      withBlocks(flags, {}, async ({ guard }) => {
        for (const act of await guard.audit()) io.stdout.write(jsonLine(act));
      }),
    );
}

/** What is no command would go to the default one, which asks for all that it needs before it looks at its arguments. */
function refuseUnknown(blocks: Command, chosen: Command): void {
  const [first = ''] = blocks.args;
  const isNamed = first === chosen.name() || first === '' || first.startsWith('-');
  if (!isNamed) blocks.error(`error: unknown command '${first}'`);
}

/** The limiter that a block's id names, if it is one's. */
function limiterOf(id: string): string {
  const [name = ''] = id.split(':', 1);
  return name.startsWith(limiterNamespace) ? name.slice(limiterNamespace.length) : defaultLimiter;
}

const blockText = ({ id, outcome, level, until }: RunningBlock): string =>
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

interface Needs {
  readonly limiter?: string;
  /** Whether there may be no records yet. */
  readonly mayBeNew?: boolean;
}

/** What acts on blocks is loaded only when somebody does: every other command starts without it. */
async function withBlocks(
  connection: Connection,
  { limiter = defaultLimiter, mayBeNew = false }: Needs,
  act: (blocks: Blocks) => Promise<void>,
): Promise<void> {
  const { openBlocks } = await import('./open-blocks.ts');
  await openBlocks(connection, limiter, mayBeNew, act);
}
