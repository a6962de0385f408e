import { describe, expect, it } from 'vitest';
import { acquaintanceOf, stops } from './acquaintance.ts';
import { scopes } from './decision.ts';
import type { BookEntry } from './state.ts';
import type { Confidence } from './subject.ts';

const entry = (id: string, bound: boolean): BookEntry => ({ id, bound, usedAt: 0 });
const shown = (hash: string, confidence: Confidence, was: string | null = null) => ({
  token: { hash, was },
  confidence,
});

describe('acquaintanceOf (§2)', () => {
  const book = [entry('other', true), entry('loose', false), entry('bound', true), entry('last', false)];
  const stranger = { known: false, trusted: false };
  const known = { known: true, trusted: false };
  const trusted = { known: true, trusted: true };

  it.each([
    ['bound', 'HIGH', trusted],
    ['bound', 'MEDIUM', known],
    ['bound', 'LOW', stranger],
    ['loose', 'HIGH', known],
    ['loose', 'MEDIUM', known],
    ['nobody', 'HIGH', stranger],
  ] as const)('of a device %s, shown with %s', (id, confidence, expected) => {
    expect(acquaintanceOf(shown(id, confidence), book)).toEqual(expected);
  });

  it('of a missing device is none', () => {
    expect(acquaintanceOf(null, book)).toEqual(stranger);
  });

  it('holds for an entry under the previous secret', () => {
    expect(acquaintanceOf(shown('new', 'HIGH', 'bound'), book)).toEqual(trusted);
  });
});

describe('whom a block stops (§4)', () => {
  const stopping = (known: boolean, trusted: boolean, ownerLane: boolean) =>
    scopes.filter((scope) => stops(scope, { known, trusted }, ownerLane));

  it('a stranger is stopped by every block', () => {
    expect(stopping(false, false, true)).toEqual(scopes);
  });

  it('a known device is not stopped by its network', () => {
    expect(stopping(true, false, true)).toEqual(['K4', 'K5', 'K3', 'D', 'K2']);
  });

  it('a trusted device answers only for itself', () => {
    expect(stopping(true, true, true)).toEqual(['K5', 'K3', 'D']);
  });

  it('without the owner lane the account and the agent stop a trusted device too', () => {
    expect(stopping(true, true, false)).toEqual(['K4', 'K5', 'K3', 'D', 'K2']);
  });
});
