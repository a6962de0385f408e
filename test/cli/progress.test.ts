import { PassThrough, Readable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { runCli } from '../../src/cli/main.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const event = `${JSON.stringify({ t: 0, op: 'fail', account: 'a', ip: '192.0.2.1' })}\n`;
const line = 'Dec 10 06:55:46 host sshd[1]: Failed password for root from 192.0.2.1 port 22 ssh2\n';

it.each([
  ['events', event],
  ['sshd', line],
])('leaves no half line before the error of input that breaks: %s', async (format, text) => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  async function* breaking() {
    yield Buffer.from(text);
    nowMs = 5_000;
    yield Buffer.from(text);
    throw Object.assign(new Error('broken'), { syscall: 'read', code: 'EIO' });
  }
  const stderr = new PassThrough({ encoding: 'utf8' });
  const io = { stdin: Readable.from(breaking()), stdout: new PassThrough(), stderr, isTerminal: true };
  expect(await runCli(['replay', '-', '--quiet', '--format', format], io)).toBe(2);
  const told = String(stderr.read());
  expect(told).toContain(' events, ');
  expect(told.endsWith('\r\u001b[Kportcullis: input: read failed with EIO\n')).toBe(true);
});
