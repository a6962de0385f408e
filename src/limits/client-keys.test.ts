import { describe, expect, it } from 'vitest';
import { clientForm, formNamed } from '../core/record-forms.ts';
import { tokenOf } from '../core/subject.ts';
import { ClientKeyspace } from './client-keys.ts';

const keyspace = new ClientKeyspace('test', 'default');
const [network, agent, other] = [tokenOf('n', null), tokenOf('a', null), tokenOf('o', null)];

describe('the keys of clients', () => {
  it('name the form of their records, however they are found', () => {
    const anonymous = keyspace.anonymous(network, agent, other);
    const keys = [
      keyspace.user(tokenOf('u', null)),
      anonymous,
      anonymous.crowd?.other,
      keyspace.anonymous(network, other, other),
      keyspace.addressed('limits.default:U:u'),
    ];
    for (const key of keys) expect(formNamed(key?.form)).toBe(clientForm);
  });

  it('leave what a network has seen in plain JSON', () => {
    expect(keyspace.anonymous(network, agent, other).crowd?.network.form).toBeUndefined();
  });
});
