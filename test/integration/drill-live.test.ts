import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { roleTokens, type ServiceUnderTest, startService, tokenList } from './service-under-test.ts';

async function drill(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const texts = { out: '', err: '' };
  stdout.on('data', (chunk) => {
    texts.out += String(chunk);
  });
  stderr.on('data', (chunk) => {
    texts.err += String(chunk);
  });
  const code = await runCli(['drill', ...args], { stdin, stdout, stderr, isTerminal: false });
  return { code, ...texts };
}

describe('a drill against a running service', () => {
  let service: ServiceUnderTest;
  beforeAll(async () => {
    service = await startService({ tokens: tokenList });
  });
  afterAll(() => service.close());

  test('is seen by it, stopped, and hurts no owner on a trusted device', async () => {
    const { code, out } = await drill(
      ...['--url', service.url, '--token', roleTokens.decide, '--seconds', '3', '--json'],
    );
    expect(code).toBe(0);
    const { attacks, people } = JSON.parse(out);
    expect(people).toEqual({ attempts: expect.any(Number), refused: 0 });
    expect(attacks.map(({ name }: { name: string }) => name)).toEqual([
      'brute force',
      'spray',
      'device rotation',
      'IPv6 spray',
      'parallel guesses',
    ]);
    for (const { guesses, owners } of attacks) {
      expect(guesses).toBeLessThan(40);
      expect(owners.trusted.refused).toBe(0);
      expect(owners.trusted.attempts).toBeGreaterThan(0);
    }
    const brute = attacks.find(({ name }: { name: string }) => name === 'brute force');
    expect(brute.firstBlockMs).toBeGreaterThan(0);
    const blocks = await service.ask('GET', '/v1/blocks', undefined, {
      authorization: `Bearer ${roleTokens.observe}`,
    });
    expect(blocks.json.blocks.length).toBeGreaterThan(0);
  });

  test('says what it needs: a token, a service, a URL, a time', async () => {
    expect(await drill('--url', service.url)).toMatchObject({ code: 2, err: expect.stringMatching(/token/) });
    expect(await drill('--url', 'http://127.0.0.1:1')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/portcullis serve/),
    });
    expect(await drill('--url', 'ftp://x')).toMatchObject({ code: 2, err: expect.stringMatching(/--url/) });
    expect(await drill('--url', service.url, '--seconds', '0')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--seconds/),
    });
  });
});
