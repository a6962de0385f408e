import { existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { Fault } from '../../core/fault.ts';
import type { CommandIo } from '../streams.ts';
import { harmlessLine } from '../visible.ts';

const help = `
A rotation has two steps. The first makes a new secret and keeps the present one to be read; restart every node with
the file: a reload does not read it. After 90 days, when everything has been written anew, --finish drops the old one.

Example:
  $ portcullis keys rotate portcullis.keys.json
  $ portcullis keys rotate portcullis.keys.json --finish`;

/** Adds `keys rotate` to the program. */
export function addKeys(program: Command, io: CommandIo): void {
  program
    .command('keys')
    .description('the secrets that keys are made with')
    .addHelpText('after', help)
    .command('rotate')
    .description('begin or end a rotation of the secret in a key file')
    .argument('<file>', 'key file; made if it is not there')
    .option('--finish', 'end the running rotation', false)
    .option('--force', 'with --finish: end it before its window has passed', false)
    .addHelpText('after', help)
    .action(async (file: string, { finish, force }: { finish: boolean; force: boolean }) => {
      if (force && !finish)
        throw new Fault('INPUT_INVALID', '--force is for ending a rotation: give --finish too');
      const keyFile = await import('../../config/key-file.ts');
      if (!finish && !existsSync(file) && keyFile.makeKeyFile(file, keyFile.newKeyFile())) {
        io.stdout.write(`${harmlessLine(file)}: made, with a new secret. There was none to rotate.\n`);
        return;
      }
      // A pipe would be waited for without end, and the file that takes its place would be no pipe.
      if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
        throw new Fault('INPUT_INVALID', `${file}: is no file that can be written anew`);
      const keys = keyFile.readKeyFile(file);
      const now = Date.now();
      keyFile.writeKeyFile(
        file,
        finish ? keyFile.finishRotation(keys, now, force) : keyFile.beginRotation(keys, now),
      );
      io.stdout.write(
        finish
          ? `${harmlessLine(file)}: the old secret is gone.\n`
          : `${harmlessLine(file)}: a new secret is in place, the old one is still read. Restart every node now; run this with --finish in 90 days.\n`,
      );
    });
}
