import type { Command } from 'commander';
import { addBlocks } from './blocks/command.ts';
import { addCompare } from './compare/command.ts';
import { addConfig } from './config/command.ts';
import { addDrill } from './drill/command.ts';
import { addExplain } from './explain/command.ts';
import { addKeys } from './keys/command.ts';
import { addProve } from './prove/command.ts';
import { addReplay } from './replay/command.ts';
import { addServe } from './serve/command.ts';
import type { CommandIo, ExitCode } from './streams.ts';
import { addTop } from './top/command.ts';

/** Adds every command there is, in the order of the help. */
export function addCommands(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  addServe(program, io);
  addReplay(program, io, end);
  addCompare(program, io, end);
  addTop(program, io);
  addExplain(program, io, end);
  addDrill(program, io, end);
  addProve(program, io, end);
  addBlocks(program, io, end);
  addConfig(program, io, end);
  addKeys(program, io);
}
