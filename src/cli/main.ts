#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../server/version.ts';
import { addCommands } from './commands.ts';
import { reportFault, usageErrorText } from './exit.ts';
import type { CommandIo, ExitCode } from './streams.ts';

const USAGE_ERROR = 2;

const help = `
Example:
  $ portcullis serve
  $ portcullis replay examples/sample-day.jsonl --summary --quiet`;

/** Runs the command line and gives its exit code. */
export async function runCli(args: readonly string[], io: CommandIo): Promise<ExitCode> {
  let code: ExitCode = 0;
  const end = (given: ExitCode) => {
    code = given;
  };
  const program = new Command('portcullis')
    .description('Decisions on logins, one-time codes and API calls.')
    .addHelpText('after', help)
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(usageErrorText(text)),
    });
  addCommands(program, io, end);
  inheritSettings(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : USAGE_ERROR;
    return reportFault(cause, io);
  }
}

/** Commands made before the program's settings, and those below them, take them over too. */
function inheritSettings(parent: Command): void {
  for (const command of parent.commands) inheritSettings(command.copyInheritedSettings(parent));
}

/** A reader that goes away, as `head` does, ends us quietly; a disk that is full does not. */
function endWithReader(cause: NodeJS.ErrnoException): void {
  if (cause.code === 'EPIPE') process.exit(0);
  process.stderr.write(`portcullis: output: ${cause.syscall} failed with ${cause.code}\n`);
  process.exit(USAGE_ERROR);
}

if (process.argv[1] !== undefined && import.meta.url.endsWith('/cli/main.js')) {
  process.stdout.on('error', endWithReader);
  // Nobody is left to be told; what runs ends in its own order all the same.
  process.stderr.on('error', () => {});
  const { stdin, stdout, stderr } = process;
  process.exitCode = await runCli(process.argv.slice(2), {
    stdin,
    stdout,
    stderr,
    isTerminal: stderr.isTTY === true,
  });
}
