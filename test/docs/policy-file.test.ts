import { describe, expect, it } from 'vitest';
import { policiesOf } from '../../src/config/policy-file.ts';
import { defaultLogin } from '../../src/index.ts';
import { textOf } from './blocks.ts';
import { fieldsOf, policyTable, unexplained } from './policy-fields.ts';

const page = textOf('docs/reference/policy-file.md');

describe('the page of policy files', () => {
  it('has every field with the defaults of each policy', () => {
    expect(unexplained()).toEqual([]);
    expect(page).toContain(policyTable());
  });

  it('names fields that a file may set', () => {
    const set = (path: string, value: unknown): object =>
      path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
    const valueAt = (path: string): unknown =>
      path
        .split('.')
        .reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], defaultLogin);
    for (const path of fieldsOf(defaultLogin).keys()) {
      expect(() => policiesOf({ policies: { login: set(path, valueAt(path)) } }, path)).not.toThrow();
    }
  });
});
