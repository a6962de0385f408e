import { describe, expect, it } from 'vitest';
import { UnreadMessages } from './unread-messages.ts';

function bench(most: number) {
  const cut: string[] = [];
  return { cut, unread: new UnreadMessages(most, (peer) => cut.push(peer)) };
}

describe('messages on their way', () => {
  it('cost the connection that takes longest its place, with all of its messages, where there are too many', () => {
    const { cut, unread } = bench(3);
    for (const peer of ['slow:1', 'b:2', 'slow:1', 'c:3']) unread.expect(peer);
    expect(cut).toEqual(['slow:1']);
    unread.expect('d:4');
    expect(cut).toEqual(['slow:1']);
    unread.expect('e:5');
    expect(cut).toEqual(['slow:1', 'b:2']);
  });

  it('are none any more once they are there, or their connection has ended', () => {
    const { cut, unread } = bench(2);
    for (let call = 0; call < 10; call += 1) unread.expect('a:1')();
    unread.expect('b:2');
    unread.expect('b:2');
    unread.forget('b:2');
    unread.expect('c:3');
    unread.expect('c:3');
    expect(cut).toEqual([]);
  });
});
