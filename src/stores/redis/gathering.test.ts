import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Gathering } from './gathering.ts';

const nothing = Promise.resolve();

function bench() {
  const sent: (readonly string[])[] = [];
  return { sent, gathering: new Gathering<string>((gathered) => sent.push(gathered)) };
}

describe('a gathering', () => {
  it('sends what a callback brings when it has ended', async () => {
    const { sent, gathering } = bench();
    gathering.add('a');
    gathering.add('b');
    expect(sent).toEqual([]);
    await nothing;
    expect(sent).toEqual([['a', 'b']]);
  });

  it('sends what the other callbacks of the turn bring when the turn ends', async () => {
    const { sent, gathering } = bench();
    gathering.add('a');
    await nothing;
    gathering.add('b');
    await nothing;
    gathering.add('c');
    await nothing;
    expect(sent).toEqual([['a']]);
    await turn();
    expect(sent).toEqual([['a'], ['b', 'c']]);
  });

  it('begins anew with the next turn', async () => {
    const { sent, gathering } = bench();
    gathering.add('a');
    await turn();
    gathering.add('b');
    await nothing;
    expect(sent).toEqual([['a'], ['b']]);
  });

  it('has sent all of a turn before a client that was given its first command writes', async () => {
    const written: string[][] = [];
    let queue: string[] | undefined;
    const client = (gathered: readonly string[]) => {
      if (queue === undefined) {
        queue = [];
        setImmediate(() => {
          written.push(queue ?? []);
          queue = undefined;
        });
      }
      queue.push(...gathered);
    };
    const gathering = new Gathering<string>(client);
    gathering.add('a');
    await nothing;
    gathering.add('b');
    await turn();
    expect(written).toEqual([['a', 'b']]);
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
