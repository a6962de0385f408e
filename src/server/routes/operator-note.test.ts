import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from '../../telemetry/clean-text.ts';
import { noteOf } from './operator-note.ts';

const why = 'as told';

describe('who acts', () => {
  it('is the token, with the name that was given beside it', () => {
    expect(noteOf('ops', { why })).toEqual({ by: 'ops', why });
    expect(noteOf('ops', { by: 'ops', why })).toEqual({ by: 'ops', why });
    expect(noteOf('ops', { by: 'Ada', why })).toEqual({ by: 'Ada (token ops)', why });
  });

  it('has to be said where there are no tokens', () => {
    expect(noteOf(null, { by: 'Ada', why })).toEqual({ by: 'Ada', why });
    expect(() => noteOf(null, { why })).toThrow('by is required');
  });

  it('ends with the whole name of the token, however long the name given is, also in a log line', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 500 }),
        fc.constantFrom('o', 'ops', 'ops-laptop.7', 'o'.repeat(64)),
        (by, token) => {
          fc.pre(by !== token);
          const noted = noteOf(token, { by, why }).by;
          expect(noted.endsWith(` (token ${token})`)).toBe(true);
          expect(noted.length).toBeLessThanOrEqual(200);
          expect(cleanText(noted).endsWith(` (token ${token})`)).toBe(true);
        },
      ),
    );
    expect(noteOf('ops', { by: 'x'.repeat(500), why }).by).toMatch(/^x{188} \(token ops\)$/);
    expect(noteOf('ops', { by: '😀'.repeat(250), why }).by).toMatch(/^(😀){94} \(token ops\)$/u);
    expect(noteOf('ops', { by: `x${'😀'.repeat(249)}`, why }).by).toMatch(/^x(😀){93} \(token ops\)$/u);
  });
});
