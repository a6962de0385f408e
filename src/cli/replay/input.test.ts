import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { openInput } from './input.ts';

/** What opening standard input says to the person before it. */
function saidOf(stdin: NodeJS.ReadableStream, file = '-'): string {
  const stderr = new PassThrough({ encoding: 'utf8' });
  openInput(file, { stdin, stdout: new PassThrough(), stderr, isTerminal: true });
  return String(stderr.read() ?? '');
}

const terminal = () => Object.assign(Readable.from([]), { isTTY: true });

it('says that it waits for a person, where standard input is a terminal', () => {
  expect(saidOf(terminal())).toBe(
    'portcullis: reading from the terminal until Ctrl-D: no file was named, or an option took it\n',
  );
});

it('says nothing of a pipe or a file', () => {
  expect(saidOf(Readable.from([]))).toBe('');
  expect(saidOf(terminal(), import.meta.filename)).toBe('');
});
