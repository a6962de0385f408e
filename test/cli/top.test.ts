import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { changeBetween } from '../../src/config/config-change.ts';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import type { ServiceConfig } from '../../src/config/service-config.ts';
import { createService, type Service } from '../../src/server/service.ts';
import { cli } from './cli-run.ts';

const token = 'observes-0123456789abcdef0123456789';
const deciding = 'decides-0123456789abcdef01234567890';

/** A screen of 80 × 20 that keeps what was written to it. */
class Screen extends Writable {
  readonly isTTY = true;
  columns = 80;
  rows = 20;
  text = '';

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }

  /** What stands there after the last drawing. */
  get shown(): string {
    return this.text.slice(this.text.lastIndexOf('\u001b[H'));
  }
}

class Keyboard extends PassThrough {
  readonly isTTY = true;
  readonly modes: boolean[] = [];

  setRawMode(mode: boolean): this {
    this.modes.push(mode);
    return this;
  }
}

describe('top', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'));
  let service: Service;
  let url = '';

  const configWith = (tokens: readonly object[]): ServiceConfig => {
    const path = join(folder, 'service.json');
    const document = {
      store: 'memory',
      dataFolder: folder,
      listen: { port: 0, grpcPort: null, drainMs: 200 },
      telemetry: { logLevel: 'silent' },
      tokens,
    };
    writeFileSync(path, JSON.stringify(document));
    return readServiceConfig({ path, env: {} });
  };
  const tokens = [
    { name: 'o', role: 'observe', token },
    { name: 'd', role: 'decide', token: deciding },
  ];

  beforeAll(async () => {
    service = await createService(configWith(tokens));
    ({ url } = await service.listen());
  });

  afterAll(() => service.close());

  const fail = (account: string) => decide('fail', account);
  const decide = (op: 'check' | 'fail', account: string) =>
    fetch(`${url}/v1/${op}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${deciding}` },
      body: JSON.stringify({ account, ip: '192.0.2.1' }),
    });

  it('draws in place, follows the size of the screen, ends with q and gives the screen back', async () => {
    const stdout = new Screen();
    const stdin = new Keyboard();
    const running = runCli(['top', '--url', url, '--token', token], {
      stdin,
      stdout,
      stderr: stdout,
      isTerminal: true,
    });
    await vi.waitFor(() => expect(stdout.shown).toContain('store memory'), { timeout: 10_000 });
    expect(stdout.text.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    await vi.waitFor(
      async () => {
        await fail('ann');
        expect(stdout.shown).toContain('login fail: HARD_BLOCK');
      },
      { timeout: 10_000, interval: 200 },
    );
    stdout.columns = 40;
    stdout.emit('resize');
    expect(stdout.shown.split('\r\n').every((line) => line.length < 60)).toBe(true);
    expect(stdout.shown).not.toContain('192.0.2.1');
    stdin.write('x');
    stdin.write('q');
    expect(await running).toBe(0);
    expect(stdout.text.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    expect(stdin.modes).toEqual([true, false]);
  });

  it('says where nobody answers, who is refused, and what is no URL', async () => {
    expect(await cli(['top', '--url', 'http://127.0.0.1:1'])).toMatchObject({
      code: 2,
      stderr:
        'portcullis: no service answers at http://127.0.0.1:1: start one with "portcullis serve", or name it with --url\n',
    });
    expect(await cli(['top', '--url', url, '--token', 'wrong'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/answers 401: it wants a token with the role observe, see --token/),
    });
    expect((await cli(['top', '--url', 'here'])).stderr).toMatch(/--url must be that of a service/);
    expect((await cli(['top', '--url', 'http://u:p@127.0.0.1:1'])).stderr).toMatch(/no name and password/);
    expect((await cli(['top', '--url', url, '--token', 'tök€n'])).stderr).toMatch(
      /--token must hold a token/,
    );
  });

  it('takes no other server for a service, nor does a drill', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    for (const command of ['top', 'drill']) {
      const { code, stderr } = await cli([command, '--url', `http://127.0.0.1:${port}`]);
      expect([code, stderr.trimEnd().split('\n')]).toEqual([
        2,
        [expect.stringContaining('does not answer as a Portcullis service does')],
      ]);
    }
    other.close();
  });

  it('prints lines where there is no screen, over a change of tokens, until the service ends', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, `${token}\n`);
    const stdout = new PassThrough();
    let text = '';
    stdout.on('data', (chunk) => {
      text += String(chunk);
    });
    const running = runCli(['top', '--url', url, '--token-file', file], {
      stdin: new PassThrough(),
      stdout,
      stderr: stdout,
      isTerminal: false,
    });
    const prints = (op: 'check' | 'fail') =>
      vi.waitFor(
        async () => {
          await decide(op, 'eve');
          expect(text).toContain(`decision  login ${op}: `);
        },
        { timeout: 10_000, interval: 200 },
      );
    await prints('fail');
    // It ends every stream, for everybody.
    const another = { name: 'p', role: 'observe', token: `another-${token}` };
    service.apply(changeBetween(configWith(tokens), configWith([...tokens, another])));
    await prints('check');
    await service.close();
    expect([0, 2]).toContain(await running);
    expect(text).not.toContain('\u001b');
  });
});
