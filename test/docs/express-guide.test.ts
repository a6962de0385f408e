import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { textOf } from './blocks.ts';

const [, signIn = ''] = textOf('docs/guides/express.md').split('## Protect a sign-in');

/** The names of the fields of an interface, as its source has them. */
function fieldsOf(file: string, name: string): string[] {
  const [, body = ''] =
    new RegExp(`export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, 'ms').exec(textOf(file)) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, field = '']) => field);
}

describe('the guide for Express', () => {
  it('names every option of a protected sign-in', () => {
    const named = [...signIn.matchAll(/^\| `(\w+)/gm)].map(([, option]) => option);
    const there = [
      ...fieldsOf('src/adapters/sign-in-gate.ts', 'ProtectOptions'),
      ...fieldsOf('src/adapters/node-protect.ts', 'NodeProtectOptions'),
      ...fieldsOf('src/guard/attempt.ts', 'AttemptOptions'),
      ...fieldsOf('src/adapters/client-address.ts', 'ClientAddressOptions'),
    ];
    expect(there).toHaveLength(9);
    expect(named.toSorted()).toEqual(there.toSorted());
  });

  it('finds no account, and does not throw, where a request has no JSON', () => {
    const [, account = ''] = /^ +account: (.+),$/m.exec(signIn) ?? [];
    const answers = ['{}', '{ body: {} }', "{ body: { email: 'a' } }"].map((request) =>
      runInNewContext(`(${account})(${request})`, { blindIndex: (email: string) => `index of ${email}` }),
    );
    expect(answers).toEqual([undefined, undefined, 'index of a']);
  });
});
