import { Readable, Writable } from 'node:stream';
import { runCli } from '../../src/cli/main.ts';
import type { ExitCode } from '../../src/cli/streams.ts';

/** What a run of the command line gave. */
export interface CliRun {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

class Sink extends Writable {
  text = '';

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

/** What a command finds on its standard input. */
type Input = string | Uint8Array | Iterable<Uint8Array>;

/** Runs the command line in this process. */
export async function cli(args: readonly string[], input: Input = ''): Promise<CliRun> {
  const stdout = new Sink();
  const stderr = new Sink();
  const chunks = typeof input === 'string' || input instanceof Uint8Array ? [Buffer.from(input)] : input;
  const code = await runCli(args, { stdin: Readable.from(chunks), stdout, stderr, isTerminal: false });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Replays its standard input. */
export const replay = (input: Input, ...flags: string[]): Promise<CliRun> =>
  cli(['replay', '-', ...flags], input);
