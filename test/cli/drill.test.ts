import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cli } from './cli-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-drill-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('drill', () => {
  it.each([
    [['--url', 'http://127.0.0.1:1', '--policy', 'strict.yaml'], '--policy is not for --url'],
    [['--seconds', '5'], 'name it with --url'],
    [['--token', 'x'], 'name it with --url'],
    [['--token-file', 'x'], 'name it with --url'],
    [['--url', 'http://127.0.0.1:1', '--token', 'x', '--token-file', 'x'], 'leave one of them out'],
  ])('refuses options that would seem to count: %j', async (flags, reason) => {
    const { code, stdout, stderr } = await cli(['drill', ...flags]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });

  it('reads a token from a file, where no other user sees it', async () => {
    const file = join(folder, 'decide.token');
    writeFileSync(file, 'of-the-file\n');
    const tokens: unknown[] = [];
    const server = createServer((request, response) => {
      tokens.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const { code } = await cli(['drill', '--url', `http://127.0.0.1:${port}`, '--token-file', file]);
      expect([code, tokens]).toEqual([2, ['Bearer of-the-file']]);
    } finally {
      server.close();
    }
  });
});
