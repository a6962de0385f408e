import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Environment, variables } from './environment-variables.ts';
import { problemText } from './problem.ts';
import { checkDocument } from './read-service-config.ts';
import type { ServiceConfig } from './service-config.ts';

const check = (document: unknown, env: Environment) =>
  checkDocument(document, { folder: '/etc/portcullis', env });

const wrong = (document: unknown, env: Environment): string[] =>
  check(document, env).problems.map(problemText);

function good(document: unknown, env: Environment): ServiceConfig {
  const { config, problems } = check(document, env);
  expect(problems.map(problemText)).toEqual([]);
  if (config === null) expect.unreachable('there is a configuration where there is no problem');
  return config;
}

describe('variables', () => {
  it('win over the document and its layer', () => {
    const env = {
      PORTCULLIS_HOST: '0.0.0.0',
      PORTCULLIS_PORT: '9000',
      PORTCULLIS_GRPC_PORT: 'none',
      PORTCULLIS_STORE: 'redis://redis:6379',
      PORTCULLIS_DATA: '/var/lib/portcullis',
      PORTCULLIS_TRUSTED_PROXIES: '10.0.0.0/8, 192.168.0.1',
      PORTCULLIS_CONSOLE: 'false',
      PORTCULLIS_LOG_LEVEL: '',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    };
    expect(good({ listen: { port: 1, host: 'h' }, store: 'memory' }, env)).toMatchObject({
      listen: { host: '0.0.0.0', port: 9000, grpcPort: null },
      store: 'redis://redis:6379',
      dataFolder: '/var/lib/portcullis',
      trustedProxies: ['10.0.0.0/8', '192.168.0.1'],
      console: { enabled: false },
      telemetry: { logLevel: 'info', otlpEndpoint: 'http://collector:4318' },
    });
  });

  it('bring tokens, of which only the hash is kept', () => {
    const env = {
      PORTCULLIS_TOKEN_DECIDE: 'a-token-of-enough-characters',
      PORTCULLIS_TOKEN_OPERATE_ALICE: 'b'.repeat(16),
    };
    const { tokens } = good({ tokens: [{ name: 'c', role: 'observe', sha256: 'AB'.repeat(32) }] }, env);
    expect(tokens).toEqual([
      { name: 'c', role: 'observe', sha256: 'ab'.repeat(32) },
      { name: 'env-decide', role: 'decide', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { name: 'alice', role: 'operate', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(JSON.stringify(tokens)).not.toMatch(/enough|bbbb/);
  });

  it('turn on the login backoff, as its origin reads them', () => {
    const env = {
      KRATOS_INTERNAL_URL: 'http://kratos.internal:4433',
      LOGIN_BACKOFF_MAX_IDENTIFIER_ATTEMPTS: '5',
      LOGIN_BACKOFF_RESET_IP: 'all',
    };
    expect(good({ kratos: { maxIdentifierAttempts: 7, maxIpAttempts: 9 } }, env).kratos).toMatchObject({
      upstreamUrl: 'http://kratos.internal:4433',
      maxIdentifierAttempts: 5,
      maxIpAttempts: 9,
      identifierLockoutSeconds: 120,
      resetIp: 'all',
    });
    expect(good({}, env).kratos?.maxIdentifierAttempts).toBe(5);
    expect(good({ kratos: { enabled: false } }, env).kratos).toBeNull();
  });

  it.each([
    ['PORTCULLIS_PORT', 'eighty'],
    ['PORTCULLIS_PORT', '70000'],
    ['PORTCULLIS_STORE', 'mysql://x'],
    ['PORTCULLIS_LOG_LEVEL', 'loud'],
    ['PORTCULLIS_CONSOLE', 'maybe'],
    ['LOGIN_BACKOFF_MAX_IP_ATTEMPTS', '0'],
    ['LOGIN_BACKOFF_MAX_IP_ATTEMPTS', '1.5'],
    ['LOGIN_BACKOFF_IP_LOCKOUT_SECONDS', '-3'],
    ['LOGIN_BACKOFF_RESET_IP', 'some'],
    ['KRATOS_INTERNAL_URL', 'kratos:4433'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector'],
    ['PORTCULLIS_TOKEN_DECIDE', 'short'],
    ['PORTCULLIS_TOKEN_ADMIN', 'a-token-of-enough-characters'],
  ])('are named when they are wrong: %s', (name, value) => {
    const problems = wrong({}, { [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: must `));
  });

  it('are all documented', () => {
    const page = readFileSync(new URL('../../docs/reference/config.md', import.meta.url), 'utf8');
    for (const { name } of variables) expect(page, name).toContain(`\`${name}\``);
  });

  it('are read or named, whatever they hold', () => {
    const names = fc.constantFrom(
      ...variables.map(({ name }) => name),
      'PORTCULLIS_TOKEN_DECIDE',
      'PORTCULLIS_TOKEN_',
    );
    fc.assert(
      fc.property(fc.dictionary(names, fc.string({ maxLength: 30 }), { maxKeys: 5 }), (env) => {
        const { problems } = check({}, env);
        for (const { path } of problems) expect(Object.keys(env)).toContain(path);
      }),
      { numRuns: 300 },
    );
  });
});
