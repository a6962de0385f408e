import { Fault } from '../core/fault.ts';
import type { CommandIo, ExitCode } from './streams.ts';
import { harmless } from './visible.ts';

const isSystemError = (cause: unknown): cause is NodeJS.ErrnoException =>
  cause instanceof Error && 'syscall' in cause && 'code' in cause;

/** Says what went wrong in one line on stderr. Faults of ours and of the system are told; a bug is thrown on. */
export function reportFault(cause: unknown, io: CommandIo): ExitCode {
  if (cause instanceof Fault && cause.code !== 'INVARIANT_BROKEN') {
    io.stderr.write(`portcullis: ${harmless(cause.message)}${adviceOn(cause)}\n`);
    return 2;
  }
  if (isSystemError(cause)) {
    io.stderr.write(
      `portcullis: ${harmless(cause.path ?? 'input')}: ${cause.syscall} failed with ${cause.code}\n`,
    );
    return 2;
  }
  throw cause;
}

/** What a parser of arguments has to say, as one line like all other errors; it quotes what was typed. */
export function usageErrorText(text: string): string {
  const said = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\.?\n\(/, ' (')
    .replace(/\.$/, '');
  return `portcullis: ${harmless(said)}. See --help\n`;
}

/** What to do about a store that does not serve; other faults say it themselves. */
const adviceOn = ({ code }: Fault): string =>
  code === 'STORE_FAILED' || code === 'STORE_TIMEOUT'
    ? ' Is the store of --store there, and may you use it?'
    : '';
