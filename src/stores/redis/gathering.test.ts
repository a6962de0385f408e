import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Gathering } from './gathering.ts';

const nothing = Promise.resolve();

function bench() {
  const sent: (readonly string[])[] = [];
  return { sent, gathering: new Gathering<string>((gathered) => sent.push(gathered)) };
}

describe('a gathering', () => {
  it('goes out when the callback has ended while nothing is under way', async () => {
    const { sent, gathering } = bench();
    gathering.add('a');
    gathering.add('b');
    expect(sent).toEqual([]);
    await nothing;
    expect(sent).toEqual([['a', 'b']]);
  });

  it('waits for the other callbacks of the turn while something is', async () => {
    const { sent, gathering } = bench();
    gathering.begin();
    const turned = turn();
    gathering.add('a');
    await nothing;
    gathering.add('b');
    await nothing;
    expect(sent).toEqual([]);
    await turned;
    await turn();
    expect(sent).toEqual([['a', 'b']]);
  });

  it('does not wait once all has ended', async () => {
    const { sent, gathering } = bench();
    gathering.begin();
    gathering.begin();
    gathering.end();
    gathering.end();
    gathering.add('a');
    await nothing;
    expect(sent).toEqual([['a']]);
  });

  it('keeps what comes while it is sent for the next', async () => {
    const sent: (readonly string[])[] = [];
    const gathering = new Gathering<string>((gathered) => {
      sent.push(gathered);
      if (sent.length === 1) gathering.add('b');
    });
    gathering.add('a');
    await turn();
    expect(sent).toEqual([['a'], ['b']]);
  });
});
