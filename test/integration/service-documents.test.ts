import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpReference } from './service-reference.ts';
import { type ServiceUnderTest, startService } from './service-under-test.ts';

const run = promisify(exec);
const pathOf = (name: string) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
const guide = readFileSync(pathOf('guides/service.md'), 'utf8');

let under: ServiceUnderTest;
beforeAll(async () => {
  under = await startService({ kratos: { proxy: { enabled: false } }, trustedProxies: ['127.0.0.1'] });
});
afterAll(() => under.close());

describe('the reference of the HTTP API', () => {
  /** `npx vitest run test/integration/service-documents.test.ts -u` writes it anew. */
  it('is what the routes make of it', async () => {
    await expect(httpReference(under.service.routes)).toMatchFileSnapshot(pathOf('reference/http.md'));
  });
});

describe('the guide', () => {
  const commands = [...guide.matchAll(/^```bash\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line.startsWith('curl '));

  it('has commands to try', () => {
    expect(commands.length).toBeGreaterThanOrEqual(8);
  });

  it.each(commands)('says what works as pasted: %s', async (command) => {
    const here = command.replaceAll('http://127.0.0.1:8470', under.url);
    const { stdout } = await run(`${here} --fail-with-body --silent --show-error --max-time 5`, {
      shell: '/bin/bash',
    });
    expect(stdout).not.toContain('"problem');
  });

  it('tells of every bound that the service has', () => {
    for (const bound of ['64 KiB', '1 MiB', '16 KiB', '10 s', '65 s', '4096', '250 ms'])
      expect(guide).toContain(bound);
  });
});
