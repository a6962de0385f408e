import { Writable } from 'node:stream';
import { Command } from 'commander';
import { addCommands } from '../../src/cli/commands.ts';
import type { CommandIo } from '../../src/cli/streams.ts';

const nowhere = () =>
  new Writable({
    write: (_chunk, _encoding, done) => done(),
  });

/** The command line as it is, but for what its commands do: nothing. */
export function hollowProgram(): Command {
  const io: CommandIo = { stdin: process.stdin, stdout: nowhere(), stderr: nowhere(), isTerminal: false };
  const program = new Command('portcullis').version('0.0.0');
  addCommands(program, io, () => {});
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
