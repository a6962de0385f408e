import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { defaultApi, defaultLogin, defaultPolicies } from '../core/policy.ts';
import { policiesOf } from './policy-file.ts';

function refusal(document: unknown): string {
  try {
    policiesOf(document, 'p.yaml');
  } catch (error) {
    if (error instanceof Fault && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  return 'none';
}

describe('policiesOf', () => {
  it.each([null, undefined, {}, { policies: {} }])('gives the built-in policies for %j', (document) => {
    expect(policiesOf(document, 'p.yaml')).toEqual(defaultPolicies);
  });

  it('changes what is said and keeps the rest', () => {
    const [login] = policiesOf({ policies: { login: { budget: { threshold: 9 } } } }, 'p.yaml');
    expect(login).toEqual({ ...defaultLogin, budget: { ...defaultLogin.budget, threshold: 9 } });
  });

  it('adds policies that extend a built-in one', () => {
    const policies = policiesOf(
      { policies: { search: { extends: 'api', actions: ['api.search'] } } },
      'p.yaml',
    );
    expect(policies.at(-1)).toEqual({ ...defaultApi, name: 'search', actions: ['api.search'] });
  });

  it.each([
    ['what is no object', [], 'p.yaml: must be an object with "policies", got an array of 0'],
    ['a field of no policy file', { polices: {} }, 'p.yaml: polices: not a field of a policy file'],
    [
      'a policy of nobody',
      { policies: { x: {} } },
      'p.yaml: policies.x: must be an object for one of login, otp, api',
    ],
    [
      'no actions',
      { policies: { x: { extends: 'api' } } },
      'p.yaml: policies.x.actions: a policy of your own needs',
    ],
    [
      'another’s action',
      { policies: { x: { extends: 'api', actions: ['auth.otp'] } } },
      'p.yaml: policies.x.actions: names',
    ],
    [
      'numbers at odds',
      { policies: { login: { score: { softFrom: 9 } } } },
      'p.yaml: policies.login.score: softFrom < hardFrom',
    ],
  ])('refuses %s', (_, document, message) => {
    expect(refusal(document).startsWith(message), refusal(document)).toBe(true);
  });

  it('names every problem at once', () => {
    const message = refusal({
      policies: { login: { score: { a: 1, softFrom: 'x' } }, api: { limits: { minor: 0 } } },
    });
    expect(message.match(/policies\.\w+\.\w+\.\w+/g)).toEqual([
      'policies.login.score.a',
      'policies.login.score.softFrom',
      'policies.api.limits.minor',
    ]);
  });

  it('gives policies or a fault for whatever it is given', () => {
    const word = fc.constantFrom(
      'login',
      'api',
      'extends',
      'actions',
      'score',
      'ladder',
      'durationsMs',
      'shadow',
      'caps',
      'x',
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.constantFrom('login', 'api', 'spray', null, true),
        fc.array(tie('tree'), { maxLength: 6 }),
        fc.dictionary(word, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (policies) => {
        expect(typeof refusal({ policies })).toBe('string');
      }),
      { numRuns: 500 },
    );
  });
});
