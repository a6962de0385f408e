import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CommandIo } from '../streams.ts';
import { Progress, progressText } from './progress.ts';

function watched(isTerminal: boolean): { io: CommandIo; written: string[] } {
  const written: string[] = [];
  const stderr = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  return { io: { stdin: Readable.from([]), stdout: stderr, stderr, isTerminal }, written };
}

describe('progress', () => {
  it('tells rate, share and what is left', () => {
    expect(progressText(1_000_000, 4_000, null)).toBe('1,000,000 events, 250,000/s');
    expect(progressText(1_000_000, 4_000, 0.25)).toBe(
      '[######..................] 25 %  1,000,000 events, 250,000/s, 12 s left',
    );
    expect(progressText(10, 60_000, 0.1)).toContain('9 min left');
    expect(progressText(10, 3_600_000, 0.25)).toContain('3 h left');
    expect(progressText(10, 4_000, 1)).toContain('[########################] 100 %');
  });

  it('is drawn on a terminal after two seconds, at most twice a second, and taken away again', () => {
    const { io, written } = watched(true);
    let now = 0;
    const progress = new Progress(
      io,
      () => 0.5,
      () => now,
    );
    for (const [at, drawn] of [
      [1_999, 0],
      [2_000, 1],
      [2_499, 1],
      [2_500, 2],
    ] as const) {
      now = at;
      progress.show(at);
      expect([at, written.length]).toEqual([at, drawn]);
    }
    progress.clear();
    expect(written.at(-1)).toBe('\r\u001b[K');
  });

  it('is not drawn elsewhere, nor taken away where it never was', () => {
    const { io, written } = watched(false);
    let now = 0;
    const progress = new Progress(
      io,
      () => 0.5,
      () => now,
    );
    now = 60_000;
    progress.show(1);
    progress.clear();
    expect(written).toEqual([]);
  });
});
