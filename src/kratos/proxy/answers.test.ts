import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { blocked } from '../verdict.ts';
import { sendLockout, sendProblem } from './answers.ts';

async function lockout(accept: string | null, lockoutPath = '/login'): Promise<Response> {
  const verdict = blocked('identifier', 90_500, 'NORMAL');
  const server = createServer((request, response) => sendLockout(request, response, verdict, lockoutPath));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const headers: Record<string, string> = accept === null ? { accept: '' } : { accept };
  return fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual', headers });
}

describe('somebody who is locked out', () => {
  test.each(['text/html', 'application/xhtml+xml, Text/HTML;q=0.9', 'application/json, text/html'])(
    'with a browser (%s) is led to the page that says for how long',
    async (accept) => {
      const { status, headers } = await lockout(accept);
      expect([status, headers.get('location')]).toEqual([303, '/login?lockout=true&retry_after=91']);
      expect([headers.get('retry-after'), headers.get('cache-control')]).toEqual(['91', 'no-store']);
    },
  );

  test.each(['application/json', '*/*', null])('with a program (%s) is told', async (accept) => {
    const answer = await lockout(accept);
    expect(answer.status).toBe(429);
    const { headers } = answer;
    expect([headers.get('retry-after'), headers.get('cache-control')]).toEqual(['91', 'no-store']);
    expect(headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({
      error: {
        code: 429,
        status: 'Too Many Requests',
        reason: 'identifier',
        message: 'Too many sign-in attempts. Please try again in 2 minutes.',
      },
    });
  });

  test('keeps what the path of the page has of its own', async () => {
    const { headers } = await lockout('text/html', '/signin?theme=dark');
    expect(headers.get('location')).toBe('/signin?theme=dark&lockout=true&retry_after=91');
  });
});

test('a problem is kept by nobody', async () => {
  const server = createServer((_, response) => sendProblem(response, 'busy'));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/`);
  expect([status, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '1', 'no-store']);
});
