import { Readable, Writable } from 'node:stream';
import type { CommandIo } from '../src/cli/streams.ts';

/** A command that reads nothing and whose words nobody hears. */
export function silentIo(): CommandIo {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  return { stdin: Readable.from([]), stdout: nowhere(), stderr: nowhere(), isTerminal: false };
}
