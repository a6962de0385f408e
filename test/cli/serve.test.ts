import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { cli } from './cli-run.ts';

describe('portcullis serve, a port', () => {
  let folder: string;
  let taken: Server;
  let port: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-serve-'));
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    port = String((taken.address() as { port: number }).port);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    taken.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const serve = (...flags: string[]) => [
    'serve',
    '--store',
    'memory',
    '--port',
    '0',
    '--data',
    folder,
    ...flags,
  ];

  /** What it says until it listens; then it is told to end. */
  async function greeting(...flags: string[]): Promise<string> {
    return greetingOf(serve(...flags));
  }

  async function greetingOf(args: readonly string[]): Promise<string> {
    const stderr = new PassThrough({ encoding: 'utf8' });
    let said = '';
    stderr.on('data', (text: string) => {
      said += text;
      if (text.includes('access:')) process.emit('SIGTERM');
    });
    const io = { stdin: new PassThrough(), stdout: new PassThrough().resume(), stderr, isTerminal: false };
    expect(await runCli(args, io)).toBe(0);
    return said;
  }

  it('that is taken ends the start, in one line that says what to do', async () => {
    expect(await cli(serve('--grpc-port', port))).toEqual({
      code: 2,
      stdout: '',
      stderr: `portcullis: port ${port} (gRPC for Envoy) is taken: choose another with --grpc-port, or none\n`,
    });
  });

  it('of HTTP that is taken does so too', async () => {
    const { code, stderr } = await cli(serve('--grpc-port', 'none', '--port', port));
    expect([code, stderr]).toEqual([
      2,
      `portcullis: port ${port} is taken: choose another with --port, or stop what listens there\n`,
    ]);
  });

  it('can be another, or none', async () => {
    expect(await greeting('--grpc-port', '0')).toMatch(/gRPC for Envoy on 127\.0\.0\.1:\d+\n/);
    expect(await greeting('--grpc-port', 'none')).not.toContain('gRPC');
  });

  it.each([
    ['--data', '/proc/nowhere/data'],
    ['--store', 'lmdb:/proc/nowhere/records'],
  ])('is not asked for where %s names a folder that cannot be made', async (option, place) => {
    const { code, stderr } = await cli(serve('--grpc-port', 'none', option, place));
    expect(code).toBe(2);
    expect(stderr).toBe(
      `portcullis: ${option}: /proc/nowhere: mkdir failed with ENOENT. Is the path right?\n`,
    );
  });

  const unmade = '/proc/nowhere: mkdir failed with ENOENT. Is the path right?\n';

  it.each([
    ['dataFolder', { dataFolder: '/proc/nowhere/data' }],
    ['store', { store: 'lmdb:/proc/nowhere/records' }],
    ['keyFile', { keyFile: '/proc/nowhere/keys.json' }],
    ['environments.prod.dataFolder', { environments: { prod: { dataFolder: '/proc/nowhere/data' } } }],
  ])(
    'is not asked for where %s of the configuration is a place that cannot be made',
    async (field, document) => {
      const config = join(folder, 'portcullis.json');
      writeFileSync(config, JSON.stringify({ environment: 'prod', ...document }));
      const { code, stderr } = await cli(['serve', '--port', '0', '--grpc-port', 'none', '--config', config]);
      expect([code, stderr]).toEqual([2, `portcullis: ${config}: ${field}: ${unmade}`]);
    },
  );

  it('is not asked for where a variable names a folder that cannot be made', async () => {
    vi.stubEnv('PORTCULLIS_DATA', '/proc/nowhere/data');
    const { code, stderr } = await cli(['serve', '--port', '0', '--grpc-port', 'none']);
    expect([code, stderr]).toEqual([2, `portcullis: PORTCULLIS_DATA: ${unmade}`]);
  });

  it('needs no folder of the configuration that nothing is kept in', async () => {
    const keyFile = join(folder, 'portcullis.keys.json');
    expect((await cli(['keys', 'rotate', keyFile])).code).toBe(0);
    const config = join(folder, 'portcullis.json');
    writeFileSync(config, JSON.stringify({ dataFolder: '/proc/nowhere/data', keyFile }));
    expect(
      await greetingOf([
        'serve',
        '--store',
        'memory',
        '--port',
        '0',
        '--grpc-port',
        'none',
        '--config',
        config,
      ]),
    ).toContain(keyFile);
  });

  it('is told with the folder that the records are in', async () => {
    const records = join(folder, 'elsewhere');
    expect(await greeting('--grpc-port', 'none', '--store', `lmdb:${records}`)).toContain(
      `records: embedded store in ${records}\n`,
    );
    expect(await greeting('--grpc-port', 'none', '--store', 'lmdb')).toContain(
      `records: embedded store in ${join(folder, 'records')}\n`,
    );
  });

  it.each(['no', '65536', '-1', ''])('cannot be %j', async (text) => {
    const { code, stderr } = await cli(serve(`--grpc-port=${text}`));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^portcullis: --grpc-port must be a number from 0 to 65535 or none, got an? /);
  });
});
