import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { reportFault } from './exit.ts';
import type { CommandIo } from './streams.ts';

function toldOf(cause: Error): string {
  const lines: string[] = [];
  const stderr = { write: (line: string) => lines.push(line) };
  reportFault(cause, { stderr } as object as CommandIo);
  return lines.join('');
}

const ofSystem = (code: string, syscall = 'open'): Error =>
  Object.assign(new Error('as Node has it'), { code, syscall, path: '/a/b' });
const told = (code: string): string => toldOf(ofSystem(code));

describe('an error of the system is told in one line', () => {
  it.each([
    ['ENOENT', 'Is the path right?'],
    ['EISDIR', 'It is a folder: name a file in it'],
    ['EACCES', 'Who may use it? Its permissions say'],
  ])('with what to do: %s', (code, remedy) => {
    expect(told(code)).toBe(`portcullis: /a/b: open failed with ${code}. ${remedy}\n`);
  });

  it.each([
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'gate.invalid' }, 'gate.invalid: getaddrinfo'],
    [{ code: 'EADDRNOTAVAIL', syscall: 'listen', address: '203.0.113.1' }, '203.0.113.1: listen'],
  ])('with the host that it is about: $code', (fields, place) => {
    const line = toldOf(Object.assign(new Error('as Node has it'), fields));
    expect(line).toMatch(new RegExp(`^portcullis: ${place} failed with ${fields.code}\\. \\w.+\n$`));
  });

  it('and by its code alone where there is nothing to advise', () => {
    expect(told('EIO')).toBe('portcullis: /a/b: open failed with EIO\n');
  });
});

describe('a fault is told in one line', () => {
  it('with what to do about a file that cannot be read', () => {
    const fault = new Fault('CONFIG_INVALID', '/a/b: cannot be read (ENOENT)', { cause: ofSystem('ENOENT') });
    expect(toldOf(fault)).toBe('portcullis: /a/b: cannot be read (ENOENT). Is the path right?\n');
  });

  it('and no more than it says where it has said it itself', () => {
    const cause = ofSystem('EADDRINUSE', 'listen');
    expect(toldOf(new Fault('CONFIG_INVALID', 'choose another port', { cause }))).toBe(
      'portcullis: choose another port\n',
    );
  });
});
