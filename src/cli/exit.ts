import { Fault } from '../core/fault.ts';
import type { CommandIo, ExitCode } from './streams.ts';
import { harmlessLine } from './visible.ts';

/** Whether it comes from a call of the system, with a code of its own. */
export const isSystemError = (cause: unknown): cause is NodeJS.ErrnoException =>
  cause instanceof Error && 'syscall' in cause && 'code' in cause;

/** Says what went wrong in one line on stderr. Faults of ours and of the system are told; a bug is thrown on. */
export function reportFault(cause: unknown, io: CommandIo): ExitCode {
  if (cause instanceof Fault && cause.code !== 'INVARIANT_BROKEN') {
    io.stderr.write(`portcullis: ${harmlessLine(cause.message)}${adviceOn(cause)}\n`);
    return 2;
  }
  if (isSystemError(cause)) {
    io.stderr.write(`portcullis: ${harmlessLine(systemErrorText(cause))}\n`);
    return 2;
  }
  throw cause;
}

/** An error of the system in words: where, what, and what to do about it. Shows a path or a host as it was given. */
export const systemErrorText = (cause: NodeJS.ErrnoException): string =>
  `${placeOf(cause)}: ${cause.syscall} failed with ${cause.code}${remedyOf(cause)}`;

/** A file, a name that was looked up, or an address that was listened on. */
const placeOf = ({ path, hostname, address }: SystemError): string => path ?? hostname ?? address ?? 'input';

type SystemError = NodeJS.ErrnoException & { readonly hostname?: string; readonly address?: string };

/** What to do about an error of the system, by its code. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'Is the path right?'],
  ['ENOTDIR', 'Is the path right?'],
  ['EISDIR', 'It is a folder: name a file in it'],
  ['EEXIST', 'Choose another name, or remove what is there'],
  ['ENXIO', 'It is a pipe that nobody reads: choose another name, or remove it'],
  ['EACCES', 'Who may use it? Its permissions say'],
  ['EPERM', 'Who may use it? Its permissions say'],
  ['EROFS', 'Nothing can be written there: choose another place'],
  ['ENOSPC', 'The disk is full: make room, or choose another place'],
  ['EMFILE', 'This process has too many files open: raise its limit (ulimit -n)'],
  ['ECONNREFUSED', 'Does anything listen there?'],
  ['ENOTFOUND', 'There is no such host: is its name right?'],
  ['EADDRNOTAVAIL', 'It is no address of this machine: choose one that is'],
  ['EADDRINUSE', 'Something listens there already: stop it, or choose another port'],
]);

const remedyOf = ({ code = '' }: NodeJS.ErrnoException): string => {
  const remedy = remedies.get(code);
  return remedy === undefined ? '' : `. ${remedy}`;
};

/** What a parser of arguments has to say, as one line like all other errors; it quotes what was typed. */
export function usageErrorText(text: string): string {
  const said = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\.?\n\(/, ' (')
    .replace(/\.$/, '');
  return `portcullis: ${harmlessLine(said)}. See --help\n`;
}

/** What to do about a store that does not serve and a file that cannot be read; other faults say it themselves. */
function adviceOn({ code, cause }: Fault): string {
  if (code === 'STORE_FAILED' || code === 'STORE_TIMEOUT')
    return ' Is the store of --store there, and may you use it?';
  return code === 'CONFIG_INVALID' && isSystemError(cause) && readingCalls.has(cause.syscall ?? '')
    ? remedyOf(cause)
    : '';
}

/** Calls of the system that read a file. */
const readingCalls: ReadonlySet<string> = new Set(['open', 'fstat', 'read']);
