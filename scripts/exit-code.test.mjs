import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from './exit-code.mjs';

const end = (program) => {
  const { status, signal } = spawnSync(process.execPath, ['-e', program]);
  return exitCodeOf(status, signal);
};

describe('the exit code of a child', () => {
  it('is its own', () => {
    expect([end(''), end('process.exit(3)')]).toEqual([0, 3]);
  });

  it.each([
    ['SIGKILL', 137],
    ['SIGTERM', 143],
  ])('tells of %s as a shell would', (signal, code) => {
    expect(end(`process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000)`)).toBe(code);
  });
});
