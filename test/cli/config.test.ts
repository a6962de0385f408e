import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serviceJsonSchema } from '../../src/config/json-schema.ts';
import { cli } from './cli-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const good = file(
  'good.yaml',
  `
environment: dev
store: redis://user:hunter2@redis.internal:6379/3
tokens: [{ name: gateway, role: decide, token: a-token-in-clear-text }]
limits:
  signedIn: { ratePerSecond: 50 }
  overrides: [{ user: alice, ratePerSecond: 5 }]
environments:
  dev:
  prod: { limits: { signedIn: { burst: 2 } } }
`,
);
const bad = file('bad.yaml', 'listn: {}\nlimits: { signedIn: { burst: 9 } }\n');

describe('config check', () => {
  it('says that a good file is fine', async () => {
    const run = await cli(['config', 'check', good, '--no-env']);
    expect(run).toEqual({ code: 0, stdout: `${good}: fine, environment dev\n`, stderr: '' });
  });

  it('names every problem of a bad one, one a line', async () => {
    const { code, stdout, stderr } = await cli(['config', 'check', bad, '--no-env']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/bad\.yaml: listn: is not a known field; there are .*listen/),
      `${bad}: limits.signedIn.burst: must be a number from 2 to 4, got the integer 9`,
    ]);
  });

  it('tells programs the same', async () => {
    const { code, stdout } = await cli(['config', 'check', bad, '--json', '--no-env']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      problems: [{ path: 'listn' }, { path: 'limits.signedIn.burst' }],
    });
  });

  it('prints what it comes to in an environment, without secrets and without whom limits are for', async () => {
    const { code, stdout } = await cli([
      'config',
      'check',
      good,
      '--environment',
      'prod',
      '--print',
      '--no-env',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      environment: 'prod',
      store: 'redis://[hidden]@redis.internal:6379/3',
      tokens: [{ name: 'gateway', role: 'decide' }],
      limits: { ratePerSecond: 50, burst: 2, overrides: [{ for: 'user', ratePerSecond: 5 }] },
    });
    expect(stdout).not.toMatch(/hunter2|in-clear|alice/);
  });

  it.each([
    ['an environment without a layer', ['config', 'check', good, '--environment', 'qa'], 1],
    ['a file that is not there', ['config', 'check', join(folder, 'none.yaml')], 2],
    ['a folder', ['config', 'check', folder], 2],
    ['no file', ['config', 'check'], 2],
    ['an option that there is not', ['config', 'check', good, '--frob'], 2],
  ])('ends with the right code for %s', async (_, args, code) => {
    const run = await cli(args);
    expect(run.code).toBe(code);
    expect(run.stderr).not.toBe('');
  });
});

describe('config schema', () => {
  it('prints what the documentation publishes', async () => {
    const { code, stdout } = await cli(['config', 'schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(serviceJsonSchema());
    const published = new URL('../../docs/reference/config.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(published, 'utf8')), 'run scripts/write-schema.mjs').toEqual(
      JSON.parse(stdout),
    );
  });
});
