import { describe, expect, it } from 'vitest';
import { rules, scopes } from '../../../src/core/decision.ts';
import { LimitCounter } from '../../../src/limits/limit-counter.ts';
import { eventWords } from './event-words.ts';
import { counted, rate, share } from './number.ts';
import { endWord, modeSentences, ruleWord, scopeWord, shortBlock } from './words.ts';

describe('the words of the console', () => {
  it('know every rule and scope of the engine', () => {
    expect(rules.filter((rule) => ruleWord(rule) === rule)).toEqual([]);
    expect(scopes.filter((scope) => scopeWord(scope) === scope)).toEqual([]);
  });

  it('do not call a store away that answers', () => {
    expect(modeSentences('DEGRADED', false)).toBe(
      'The store is away. Decisions come from local caps of this node; nothing is remembered.',
    );
    expect(modeSentences('DEGRADED', true)).toMatch(
      /^The store answers now; .* Decisions come from local caps/,
    );
  });

  it('know every count of a limiter', () => {
    const names = Object.keys(new LimitCounter().counts());
    expect(names).toContain('storeFailures');
    expect(names.map(endWord).filter((word) => /[A-Z]/.test(word))).toEqual([]);
  });

  it('cut the id of a block without losing what tells two apart at a glance', () => {
    expect(shortBlock('login:K2:kJtTNRqeR2wHn5IpiHJ0El:sM90o_0ZIkHjvfokz89i7v')).toBe(
      'kJtTNRqe… · sM90o_0Z…',
    );
  });

  it('tell events, also those they do not know', () => {
    expect(eventWords({ seq: 1, t: 0, type: 'mode', policy: 'login', from: 'NORMAL', to: 'DEGRADED' })).toBe(
      'login went from NORMAL to DEGRADED',
    );
    expect(eventWords({ seq: 1, t: 0, type: 'novelty' })).toBe('novelty');
    expect(eventWords({ seq: 0, t: 0, type: 'gap', missed: 12 })).toBe(
      '12 events were missed while the feed was away',
    );
  });
});

it('writes numbers for the eye', () => {
  expect([
    counted(1, 'block'),
    counted(2_000, 'block'),
    rate(0.25),
    rate(16_585.4),
    share(1, 8),
    share(0, 0),
  ]).toEqual(['1 block', '2,000 blocks', '0.3', '16,585', '12.5 %', '–']);
});
