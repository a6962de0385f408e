import type { Command } from 'commander';
import { Fault } from '../../core/fault.ts';
import type { CommandIo, ExitCode } from '../streams.ts';
import { harmlessLine, jsonLine } from '../visible.ts';

const help = `
Reads the file as the service would, with every layer it has, and names every problem. The variables of the environment
count too, unless --no-env is given.

Example:
  $ portcullis config check portcullis.yaml
  $ portcullis config check portcullis.yaml --environment prod --print
  $ portcullis config schema > portcullis.schema.json`;

interface CheckFlags {
  readonly environment?: string;
  readonly env: boolean;
  readonly json: boolean;
  readonly print: boolean;
}

/** Adds `config check` and `config schema` to the program. `end` receives the exit code. */
export function addConfig(program: Command, io: CommandIo, end: (code: ExitCode) => void): void {
  const config = program
    .command('config')
    .description('check a configuration file, or print its schema')
    .addHelpText('after', help);
  config
    .command('check')
    .description('name every problem of a configuration file')
    .argument('<file>', 'YAML or JSON')
    .option('--environment <name>', 'the layer to use; default: the file’s own')
    .option('--no-env', 'leave the variables of the environment out')
    .option('--json', 'a JSON object instead of lines', false)
    .option('--print', 'print the complete configuration, without secrets', false)
    .addHelpText('after', help)
    .action((file: string, flags: CheckFlags) => check(file, flags, io, end));
  config
    .command('schema')
    .description('print the JSON Schema of configuration files')
    .addHelpText('after', '\nExample:\n  $ portcullis config schema > portcullis.schema.json')
    .action(async () => {
      const { serviceJsonSchema } = await import('../../config/json-schema.ts');
      io.stdout.write(`${JSON.stringify(serviceJsonSchema(), null, 2)}\n`);
    });
}

/** What reads and checks a file is loaded only for this command: the others start faster without. */
async function check(
  file: string,
  flags: CheckFlags,
  io: CommandIo,
  end: (code: ExitCode) => void,
): Promise<void> {
  const { checkServiceConfig } = await import('../../config/read-service-config.ts');
  const { problemText } = await import('../../config/problem.ts');
  const { publicConfig } = await import('../../config/public-config.ts');
  const { assertReadable } = await import('../../config/document.ts');
  assertReadable(file);
  const { environment } = flags;
  if (environment === '')
    throw new Fault('INPUT_INVALID', '--environment must name a layer, got an empty string');
  const { config, problems } = checkServiceConfig({
    path: file,
    environment,
    ...(flags.env ? {} : { env: {} }),
  });
  end(config === null ? 1 : 0);
  const shown = config !== null && flags.print ? { config: publicConfig(config) } : {};
  if (flags.json) {
    io.stdout.write(jsonLine({ file, valid: config !== null, problems, ...shown }));
  } else if (config === null) {
    for (const problem of problems) io.stderr.write(`${harmlessLine(`${file}: ${problemText(problem)}`)}\n`);
  } else if (flags.print) {
    const lines = JSON.stringify(publicConfig(config), null, 2).split('\n');
    io.stdout.write(`${lines.map(harmlessLine).join('\n')}\n`);
  } else {
    io.stdout.write(`${harmlessLine(`${file}: fine, environment ${config.environment}`)}\n`);
  }
}
