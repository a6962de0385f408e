import { describe, expect, it } from 'vitest';
import { readPin } from '../api/pin-order.ts';
import { subjectWords } from './subject-words.ts';
import { typedText } from './typed-text.ts';

describe('what somebody has typed', () => {
  it('cannot turn round what stands behind it', () => {
    expect(typedText('Ada\u202e (token ops)')).toBe('Ada\\u202e (token ops)');
    expect(typedText('\u2066a\u2069\u200f\n')).toBe('\\u2066a\\u2069\\u200f\\u000a');
  });

  it('is left as it is in every script, with what joins its letters', () => {
    const names = ['مشغل', 'نمی\u200cدانم', 'עדה', '👩\u200d💻', 'Zoë', '李四'];
    expect(names.map(typedText)).toEqual(names);
  });

  it('is shown so in pins and for a subject', () => {
    expect(readPin({ kind: 'scenario', by: 'a\u202e', why: 'b\u202e' })).toMatchObject([
      { by: 'a\\u202e', why: 'b\\u202e' },
    ]);
    const device = { id: 'd\u202e', confidence: 'LOW' } as const;
    expect(
      subjectWords({ account: 'a\u202e', ip: '192.0.2.1', action: 'auth.login', ua: 'u\u202e', device }),
    ).toBe(
      'Account a\\u202e, IP address 192.0.2.1, action auth.login, user agent u\\u202e, device d\\u202e (LOW)',
    );
  });
});
