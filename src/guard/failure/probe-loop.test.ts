import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../testing/virtual-clock.ts';
import { ProbeLoop } from './probe-loop.ts';

/** A loop whose probes take as long as they are told, and when each began. */
function open(tookMs: number) {
  const clock = new VirtualClock();
  const begun: number[] = [];
  const probe = () => {
    begun.push(clock.now());
    return new Promise<void>((resolve) => clock.after(tookMs, resolve));
  };
  return { clock, begun, loop: new ProbeLoop(probe, 100, clock) };
}

describe('a probe loop', () => {
  test('probes at a steady pace, however long a probe takes within it', async () => {
    const { clock, begun, loop } = open(30);
    loop.start();
    await clock.advance(450);
    expect(begun).toEqual([100, 200, 300, 400]);
  });

  test('waits for a probe that takes longer', async () => {
    const { clock, begun, loop } = open(250);
    loop.start();
    await clock.advance(700);
    expect(begun).toEqual([100, 351, 602]);
  });

  test('ends when it is stopped, also in the middle of a probe', async () => {
    const { clock, begun, loop } = open(30);
    loop.start();
    await clock.advance(110);
    loop.stop();
    await clock.advance(1_000);
    expect(begun).toEqual([100]);
  });

  test('is one loop again when it is started anew while a probe of the last one is under way', async () => {
    const { clock, begun, loop } = open(30);
    loop.start();
    await clock.advance(110);
    loop.stop();
    loop.start();
    await clock.advance(300);
    expect(begun).toEqual([100, 210, 310, 410]);
  });
});
