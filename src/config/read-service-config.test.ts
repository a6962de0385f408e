import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import Schema from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { builtInScenarios } from '../abuse/index.ts';
import { defaultPolicies } from '../core/policy.ts';
import { parseDocument } from './document.ts';
import type { Environment } from './environment-variables.ts';
import { variables } from './environment-variables.ts';
import { serviceJsonSchema } from './json-schema.ts';
import { problemText } from './problem.ts';
import { checkDocument, readServiceConfig } from './read-service-config.ts';
import type { ServiceConfig } from './service-config.ts';

const folder = '/etc/portcullis';

const check = (document: unknown, env: Environment = {}, environment?: string) =>
  checkDocument(document, { folder, env, environment });

function good(document: unknown, env: Environment = {}, environment?: string): ServiceConfig {
  const { config, problems } = check(document, env, environment);
  expect(problems.map(problemText)).toEqual([]);
  if (config === null) expect.unreachable('there is a configuration where there is no problem');
  return config;
}

const wrong = (document: unknown, env: Environment = {}, environment?: string): string[] =>
  check(document, env, environment).problems.map(problemText);

describe('a configuration that says nothing', () => {
  it('has every default', () => {
    const config = good({});
    expect(config).toMatchObject({
      environment: 'default',
      listen: { host: '127.0.0.1', port: 8470, grpcPort: 8471, spoePort: null },
      dataFolder: `${folder}/portcullis-data`,
      keyFile: `${folder}/portcullis-data/portcullis.keys.json`,
      store: 'lmdb',
      tokens: [],
      kratos: null,
      envoy: [],
      console: { enabled: true },
      scenarios: { enabled: true, list: builtInScenarios },
      failure: { deadlineMs: 50, nodes: 1 },
    });
    expect(config.policies.map(({ name }) => name)).toEqual(defaultPolicies.map(({ name }) => name));
  });

  it('is frozen all the way down', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(good({ limits: { routes: [{ path: '/a' }] }, envoy: [{ domain: 'a' }] }))).toBe(true);
  });
});

describe('layers', () => {
  const document = {
    environment: 'dev',
    limits: { signedIn: { ratePerSecond: 10, burst: 3 }, routes: [{ path: '/a' }, { path: '/b' }] },
    policies: { login: { budget: { threshold: 15 } } },
    environments: {
      dev: null,
      prod: {
        limits: { signedIn: { burst: 2 }, routes: [{ path: '/c' }] },
        policies: { login: { budget: { epochMs: 1000 } } },
        shadow: { login: ['spray'] },
      },
    },
  };

  it('are merged over the rest field by field; lists replace', () => {
    const { limits, policies, environment } = good(document, {}, 'prod');
    expect(environment).toBe('prod');
    expect(limits).toMatchObject({ ratePerSecond: 10, burst: 2, routes: [{ path: '/c' }] });
    expect(policies[0]).toMatchObject({ budget: { threshold: 15, epochMs: 1000 }, shadow: ['spray'] });
  });

  it('are chosen by the document unless somebody else chooses', () => {
    expect(good(document).limits.burst).toBe(3);
    expect(readServiceConfig({ env: { PORTCULLIS_ENVIRONMENT: 'stage' } }).environment).toBe('stage');
  });

  it('are checked, also those that are not chosen, and named', () => {
    const bad = {
      ...document,
      environments: { ...document.environments, qa: { listen: { port: -1 }, x: 1 } },
    };
    expect(wrong(bad)).toEqual([
      'environments.qa.listen.port: must be a whole number from 0 to 65535, got the integer -1',
      expect.stringMatching(/^environments\.qa\.x: not a known field/),
    ]);
  });

  it('must be there when somebody chooses one', () => {
    expect(wrong(document, {}, 'nowhere')).toEqual(['environment: is not one of dev, prod']);
  });
});

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
});

describe('a bad configuration', () => {
  it.each([
    ['a token without a secret', { tokens: [{ name: 'a', role: 'decide' }] }, 'tokens[0]: must have either'],
    [
      'a token twice',
      { tokens: ['x', 'y'].map((text) => ({ name: 'a', role: 'decide', token: text.repeat(16) })) },
      'tokens[1].name: is the name of a token before it',
    ],
    ['a store of no kind', { store: 'oracle://x' }, 'store: must be lmdb, memory'],
    [
      'a proxy that is no range',
      { trustedProxies: ['10.0.0.0/33'] },
      'trustedProxies[0]: must be an address',
    ],
    [
      'a range in an override',
      { limits: { overrides: [{ cidr: 'x', ratePerSecond: 1 }] } },
      'limits.overrides[0].cidr',
    ],
    [
      'an override for nobody',
      { limits: { overrides: [{ ratePerSecond: 1 }] } },
      'limits.overrides[0]: must have either',
    ],
    ['a rule that is not', { shadow: ['sprya'] }, 'shadow[0]: must be one of "score"'],
    [
      'a rule that cannot be in shadow',
      { policies: { login: { shadow: ['store'] } } },
      'policies.login.shadow[0]',
    ],
    ['a shadow for no policy', { shadow: { loggin: ['spray'] } }, 'shadow.loggin: is not one of login'],
    [
      'an action of two policies',
      { policies: { a: { extends: 'api', actions: ['auth.login'] } } },
      'policies.a.actions',
    ],
    [
      'a policy with an odd name',
      { policies: { 'a b': { extends: 'api' } } },
      'policies["a b"]: a name must be',
    ],
    ['scenarios', { scenarios: [{ name: 'x', key: 'shoe' }] }, 'scenarios[0].key: must be one of "client"'],
    [
      'a scenario without a condition',
      { scenarios: { list: [{ name: 'x', key: 'client' }] } },
      'scenarios.list[0]: must have a bucket',
    ],
    [
      'an Envoy domain twice',
      { envoy: [{ domain: 'a' }, { domain: 'a' }] },
      'envoy[1].domain: is the domain of',
    ],
    [
      'an unlimited limit with a unit',
      { envoy: [{ domain: 'a', descriptors: [{ key: 'k', rate_limit: { unlimited: true, unit: 'day' } }] }] },
      'envoy[0].descriptors[0].rate_limit: must not have',
    ],
    ['a webhook', { kratos: { webhooks: { cidrs: ['x'] } } }, 'kratos.webhooks.cidrs[0]: must be an address'],
    ['no object', [1, 2], 'must be an object, got an array of 2'],
  ])('is refused for %s', (_, document, message) => {
    const problems = wrong(document);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(message), problems[0]).toBe(true);
  });

  it('is refused with every problem at once, up to a bound', () => {
    const routes = Array.from({ length: 400 }, () => ({ path: 'x' }));
    const problems = wrong({ limits: { routes } });
    expect(problems).toHaveLength(200);
    expect(problems.at(-1)).toBe('and 201 more problems');
  });

  it('never shows a value', () => {
    const document = { tokens: [{ name: 'hunter2 ', role: 'hunter2', token: 'hunter2' }], store: 'hunter2' };
    expect(wrong(document).join()).not.toContain('hunter2');
  });

  it('is a fault that names the file', () => {
    expect(() => readServiceConfig({ path: '/nowhere.yaml', env: {} })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: '/nowhere.yaml: cannot be read (ENOENT)' }),
    );
  });
});

const published = parseDocument(
  readFileSync(new URL('../../docs/reference/config.schema.json', import.meta.url), 'utf8'),
  'schema',
) as Record<string, unknown>;

describe('the published schema', () => {
  it.each([
    ['nothing', {}],
    ['layers', { environments: { dev: null, prod: { limits: { signedIn: { burst: 2 } } } } }],
    ['policies', { policies: { login: { shadow: ['spray'] }, mine: { extends: 'api', actions: ['a'] } } }],
    ['scenarios', { scenarios: [{ name: 'path-scan', off: true }] }],
    [
      'nested descriptors',
      { envoy: ['a.yaml', { domain: 'a', descriptors: [{ key: 'k', descriptors: [{ key: 'l' }] }] }] },
    ],
  ])('takes what the service takes: %s', (_, document) => {
    expect(Schema.Check(published, document)).toBe(true);
  });

  it.each([
    ['a field that is not', { listn: {} }],
    ['one deep in a layer', { environments: { prod: { limits: { signedIn: { brust: 2 } } } } }],
    ['one in a policy', { policies: { login: { scroe: {} } } }],
    [
      'one in a descriptor',
      { envoy: [{ domain: 'a', descriptors: [{ key: 'k', descriptors: [{ kee: 'l' }] }] }] },
    ],
    ['a rate of no', { limits: { signedIn: { ratePerSecond: 0 } } }],
  ])('refuses what the service refuses: %s', (_, document) => {
    expect(Schema.Check(published, document)).toBe(false);
    expect(wrong(document)).not.toEqual([]);
  });

  it('is what the code says', () => {
    expect(published).toEqual(JSON.parse(JSON.stringify(serviceJsonSchema())));
  });
});

describe('whatever a document holds', () => {
  const words = fc.constantFrom(
    ...[
      'limits',
      'signedIn',
      'burst',
      'routes',
      'path',
      'policies',
      'login',
      'score',
      'softFrom',
      'environments',
    ],
    ...[
      'prod',
      'tokens',
      'name',
      'role',
      'envoy',
      'domain',
      'descriptors',
      'key',
      'rate_limit',
      'kratos',
      'shadow',
    ],
    ...['scenarios', 'list', 'telemetry', 'otlpEndpoint', 'listen', 'port', 'constructor', 'toString', ''],
  );
  const leaf = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    words,
    fc.string({ maxLength: 10 }),
    fc.constantFrom('/a', 'redis://x', '10.0.0.0/8', 'http://x', 'login', 'spray', 'minute'),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6, depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(words, tie('tree'), { maxKeys: 6 }),
    ),
  }));

  it('is read or refused, never thrown at', () => {
    fc.assert(
      fc.property(fc.dictionary(words, tree, { maxKeys: 8 }), (document) => {
        const { config, problems } = check(document);
        expect(config === null).toBe(problems.length > 0);
      }),
      { numRuns: 600 },
    );
  });

  it('is refused in a way that says so, for every variable', () => {
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
