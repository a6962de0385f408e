import type { Subject, Token } from '../../src/core/subject.ts';

/** A component by a name that stands for its hash. */
export const token = (hash: string): Token => ({ hash, was: null });

/** The prefixes above an IPv6 network. */
export const macros = { p48: token('p48'), p40: token('p40'), p32: token('p32') };

/** Alice's laptop at home. */
export const alice = (change: Partial<Subject> = {}): Subject => ({
  account: token('alice'),
  network: token('home'),
  agent: token('chrome'),
  otherAgent: token('other'),
  device: { token: token('laptop'), confidence: 'MEDIUM' },
  macros: null,
  ...change,
});
