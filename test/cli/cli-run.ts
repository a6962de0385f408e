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

/** Runs the command line in this process; `input` is its standard input. */
export async function cli(
  args: readonly string[],
  input: string | Uint8Array | Iterable<Uint8Array> = '',
): Promise<CliRun> {
  const stdout = new Sink();
  const stderr = new Sink();
  const chunks = typeof input === 'string' || input instanceof Uint8Array ? [Buffer.from(input)] : input;
  const code = await runCli(args, { stdin: Readable.from(chunks), stdout, stderr, isTerminal: false });
  return { code, stdout: stdout.text, stderr: stderr.text };
}
