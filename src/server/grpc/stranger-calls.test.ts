import { describe, expect, it } from 'vitest';
import { StrangerCalls } from './stranger-calls.ts';

function bench(most: number) {
  const cut: string[] = [];
  return { cut, calls: new StrangerCalls(most, (peer) => cut.push(peer)) };
}

describe('calls of strangers', () => {
  it('cost the connection that takes longest its place, with all of its calls, where there are too many', () => {
    const { cut, calls } = bench(3);
    for (const peer of ['slow:1', 'b:2', 'slow:1', 'c:3']) calls.begin(peer);
    expect(cut).toEqual(['slow:1']);
    calls.begin('d:4');
    expect(cut).toEqual(['slow:1']);
    calls.begin('e:5');
    expect(cut).toEqual(['slow:1', 'b:2']);
  });

  it('cost the connection that has most of them its place, also where another one began before it', () => {
    const { cut, calls } = bench(3);
    for (const peer of ['probe:1', 'greedy:2', 'greedy:2', 'greedy:2']) calls.begin(peer);
    expect(cut).toEqual(['greedy:2']);
  });

  it('are none any more once they have ended, or their connection has', () => {
    const { cut, calls } = bench(2);
    for (let call = 0; call < 10; call += 1) calls.begin('a:1')();
    calls.begin('b:2');
    calls.begin('b:2');
    calls.forget('b:2');
    calls.begin('c:3');
    calls.begin('c:3');
    expect(cut).toEqual([]);
  });
});
