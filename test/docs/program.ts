import { Writable } from 'node:stream';
import { Command } from 'commander';
import { addBlocks } from '../../src/cli/blocks/command.ts';
import { addCompare } from '../../src/cli/compare/command.ts';
import { addConfig } from '../../src/cli/config/command.ts';
import { addDrill } from '../../src/cli/drill/command.ts';
import { addExplain } from '../../src/cli/explain/command.ts';
import { addKeys } from '../../src/cli/keys/command.ts';
import { addProve } from '../../src/cli/prove/command.ts';
import { addReplay } from '../../src/cli/replay/command.ts';
import { addServe } from '../../src/cli/serve/command.ts';
import type { CommandIo } from '../../src/cli/streams.ts';
import { addTop } from '../../src/cli/top/command.ts';

const nowhere = () =>
  new Writable({
    write: (_chunk, _encoding, done) => done(),
  });

/** The command line as it is, but for what its commands do: nothing. A test holds its commands to those of the real one. */
export function hollowProgram(): Command {
  const io: CommandIo = { stdin: process.stdin, stdout: nowhere(), stderr: nowhere(), isTerminal: false };
  const program = new Command('portcullis').version('0.0.0');
  for (const add of [
    addServe,
    addReplay,
    addCompare,
    addTop,
    addExplain,
    addDrill,
    addProve,
    addBlocks,
    addConfig,
    addKeys,
  ])
    add(program, io, () => {});
  for (const command of [program, ...commandsBelow(program)]) silence(command);
  return program;
}

function silence(command: Command): void {
  command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  if (command.commands.length === 0) command.action(() => {});
}

/** All commands below one, however deep. */
export function commandsBelow(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...commandsBelow(child)]);
}

/** `config check`: how a user types it, without the name of the program. */
export function pathOf(command: Command): string {
  const above = command.parent?.parent ? `${pathOf(command.parent)} ` : '';
  return `${above}${command.name()}`;
}

/** What the command line objects to; null when it would run. */
export function objectionTo(words: readonly string[]): string | null {
  try {
    hollowProgram().parse(words, { from: 'user' });
    return null;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code === 'commander.helpDisplayed' || code === 'commander.version') return null;
    return cause instanceof Error ? cause.message : String(cause);
  }
}
