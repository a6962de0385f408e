import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LineOutlet } from './line-outlet.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

/** A file that takes so many bytes, then refuses with a code. */
function outletTo(mostWaitingBytes = 20) {
  const file = { room: Number.POSITIVE_INFINITY, code: 'EAGAIN', text: '', tries: 0 };
  const outlet = new LineOutlet({
    write: (bytes, offset) => {
      file.tries += 1;
      if (file.room === 0) throw failure(file.code);
      const part = bytes.subarray(offset, offset + file.room);
      file.room -= part.length;
      file.text += part.toString('latin1');
      return part.length;
    },
    lostLine: (count) => `lost ${count}\n`,
    mostWaitingBytes,
  });
  return { outlet, file };
}

describe('LineOutlet', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('writes a line before it returns', () => {
    const { outlet, file } = outletTo();
    outlet.write('one\n');
    expect(file.text).toBe('one\n');
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(['EAGAIN', 'ENOSPC', 'EIO', 'EPIPE', 'EDQUOT'])(
    'keeps lines in their order while the system says %s, and tries again by itself',
    (code) => {
      const { outlet, file } = outletTo();
      Object.assign(file, { room: 2, code });
      outlet.write('one\n');
      outlet.write('two\n');
      expect(file.text).toBe('on');
      file.room = Number.POSITIVE_INFINITY;
      vi.advanceTimersByTime(1_000);
      expect(file.text).toBe('one\ntwo\n');
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('puts what waits before what comes', () => {
    const { outlet, file } = outletTo();
    file.room = 0;
    outlet.write('one\n');
    file.room = Number.POSITIVE_INFINITY;
    outlet.write('two\n');
    expect(file.text).toBe('one\ntwo\n');
  });

  it('keeps no more than it may, and says in their place how many lines were lost', () => {
    const { outlet, file } = outletTo();
    file.room = 0;
    for (let n = 10; n < 100; n += 1) outlet.write(`${n}\n`);
    file.room = Number.POSITIVE_INFINITY;
    outlet.write('next\n');
    expect(file.text).toBe('10\n11\n12\n13\n14\n15\nlost 84\nnext\n');
  });

  it('says so also when no other line comes', () => {
    const { outlet, file } = outletTo();
    file.room = 0;
    for (let n = 10; n < 20; n += 1) outlet.write(`${n}\n`);
    file.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(1_000);
    expect(file.text).toBe('10\n11\n12\n13\n14\n15\nlost 4\n');
  });

  it('takes one line that is longer than all that may wait', () => {
    const { outlet, file } = outletTo(3);
    file.room = 2;
    outlet.write('longer\n');
    file.room = Number.POSITIVE_INFINITY;
    outlet.write('next\n');
    expect(file.text).toBe('longer\nnext\n');
  });

  it('tries a last time at the end of the process, and leaves no listener behind', () => {
    const { outlet, file } = outletTo();
    const before = process.listeners('exit');
    file.room = 0;
    outlet.write('one\n');
    outlet.write('two\n');
    const [last, ...others] = process.listeners('exit').filter((listener) => !before.includes(listener));
    expect(others).toEqual([]);
    file.room = Number.POSITIVE_INFINITY;
    last?.call(process, 0);
    expect(file.text).toBe('one\ntwo\n');
    expect(process.listeners('exit')).toEqual(before);
  });

  it('does not wait at the end for a disk that is full', () => {
    const { outlet, file } = outletTo();
    const before = process.listeners('exit');
    Object.assign(file, { room: 0, code: 'ENOSPC' });
    outlet.write('one\n');
    const [last] = process.listeners('exit').filter((listener) => !before.includes(listener));
    const { tries } = file;
    last?.call(process, 0);
    expect(file.tries).toBe(tries + 1);
    file.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(1_000);
  });
});
