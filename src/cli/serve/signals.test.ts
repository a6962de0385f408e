import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endWhenTold, onHangup, untilToldToEnd, wishOfHangup } from './signals.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Tells a signal as the system does: what nobody listens to ends the process. */
function madeProcess() {
  const source = new EventEmitter();
  const tell = (signal: NodeJS.Signals) => (source.emit(signal, signal) ? 'heard' : 'ended');
  return { source, tell };
}

describe('being told to end', () => {
  it('is one wish, though terminal and parents all pass the signal on', async () => {
    const { source, tell } = madeProcess();
    const told = untilToldToEnd(source);
    expect([tell('SIGINT'), tell('SIGINT'), tell('SIGTERM')]).toEqual(['heard', 'heard', 'heard']);
    expect(await told).toBe('SIGINT');
    vi.advanceTimersByTime(999);
    expect(tell('SIGINT')).toBe('heard');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('once more later on ends the process: %s', async (signal) => {
    const { source, tell } = madeProcess();
    const ended: string[] = [];
    const told = untilToldToEnd(source, (by) => ended.push(by));
    tell('SIGTERM');
    tell('SIGTERM');
    expect(await told).toBe('SIGTERM');
    vi.advanceTimersByTime(999);
    expect(ended).toEqual([]);
    vi.advanceTimersByTime(1);
    // Heard, and not left to the system: to the first process of a container that does nothing.
    expect(tell(signal)).toBe('heard');
    expect(ended).toEqual([signal]);
  });

  it('ends a process that starts at once, until it has started', () => {
    const { source, tell } = madeProcess();
    const ended: string[] = [];
    const end = (by: string) => ended.push(by);
    const started = endWhenTold(source, end);
    started();
    expect(tell('SIGTERM')).toBe('ended');
    endWhenTold(source, end);
    tell('SIGINT');
    expect(ended).toEqual(['SIGINT']);
    expect(tell('SIGINT')).toBe('ended');
  });
});

describe('SIGHUP', () => {
  it('is heard each time, and ends no process until nobody listens any more', () => {
    const { source, tell } = madeProcess();
    let heard = 0;
    const ignore = onHangup(() => {
      heard += 1;
    }, source);
    expect([tell('SIGHUP'), tell('SIGHUP')]).toEqual(['heard', 'heard']);
    expect(heard).toBe(2);
    ignore();
    expect(tell('SIGHUP')).toBe('ended');
  });

  it.each([
    [true, true, 'reload'],
    [true, false, 'reload'],
    [false, true, 'end'],
    [false, false, 'nothing'],
  ] as const)('with a file %s and a terminal %s asks for: %s', (hasFile, isOnTerminal, wish) => {
    expect(wishOfHangup(hasFile, isOnTerminal)).toBe(wish);
  });
});
