import { describe, expect, it } from 'vitest';
import { reportFault } from './exit.ts';
import type { CommandIo } from './streams.ts';

function told(code: string): string {
  const lines: string[] = [];
  const stderr = { write: (line: string) => lines.push(line) };
  const cause = Object.assign(new Error('as Node has it'), { code, syscall: 'open', path: '/a/b' });
  reportFault(cause, { stderr } as object as CommandIo);
  return lines.join('');
}

describe('an error of the system is told in one line', () => {
  it.each([
    ['ENOENT', 'Is the path right?'],
    ['EISDIR', 'It is a folder: name a file in it'],
    ['EACCES', 'Who may use it? Its permissions say'],
  ])('with what to do: %s', (code, remedy) => {
    expect(told(code)).toBe(`portcullis: /a/b: open failed with ${code}. ${remedy}\n`);
  });

  it('and by its code alone where there is nothing to advise', () => {
    expect(told('EIO')).toBe('portcullis: /a/b: open failed with EIO\n');
  });
});
