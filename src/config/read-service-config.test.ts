import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import Schema from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { builtInScenarios } from '../abuse/index.ts';
import { defaultPolicies } from '../core/policy.ts';
import { parseDocument } from './document.ts';
import type { Environment } from './environment-variables.ts';
import { serviceJsonSchema } from './json-schema.ts';
import { problemText } from './problem.ts';
import { type ConfigSource, checkDocument, readServiceConfig } from './read-service-config.ts';
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
      failure: { nodes: 1 },
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

describe('the decision log', () => {
  const logOf = (decisionLog: unknown, env: Environment = {}) =>
    good({ dataFolder: 'data', telemetry: { decisionLog } }, env).telemetry.decisionLog;

  it('is off unless somebody asks for it', () => {
    expect(good({}).telemetry.decisionLog).toBeNull();
    expect(logOf(null)).toBeNull();
  });

  it('lies in the data folder and has bounds unless it is told otherwise', () => {
    const bounds = { maxBytes: 256 * 1024 ** 2, bufferBytes: 4 * 1024 ** 2, flushMs: 200 };
    expect(logOf({})).toEqual({ file: `${folder}/data/decisions.jsonl`, ...bounds });
    expect(logOf({ file: 'log/d.jsonl', flushMs: 5 })).toEqual({
      ...bounds,
      file: `${folder}/log/d.jsonl`,
      flushMs: 5,
    });
    expect(logOf(null, { PORTCULLIS_DECISION_LOG: '/tmp/d.jsonl' })?.file).toBe('/tmp/d.jsonl');
  });

  it('is refused with bounds that are none', () => {
    const decisionLog = { maxBytes: 10, bufferBytes: 0, flushMs: 0, files: 3 };
    expect(wrong({ telemetry: { decisionLog } }).join('\n')).toContain('telemetry.decisionLog');
  });
});

describe('tokens', () => {
  const token = 'a-token-of-enough-characters';

  it('have one role each, wherever they are named', () => {
    const both = (['operate', 'decide'] as const).map((role) => ({ name: role, role, token }));
    const message = 'tokens[1]: is the same token as that of tokens[0]';
    expect(wrong({ tokens: both })).toEqual([message]);
    expect(wrong({}, { PORTCULLIS_TOKEN_DECIDE: token, PORTCULLIS_TOKEN_OPERATE: token })).toEqual([message]);
    const hashed = {
      name: 'hashed',
      role: 'observe',
      sha256: createHash('sha256').update(token).digest('hex'),
    };
    expect(wrong({ tokens: [hashed, both[0]] })).toEqual([message]);
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
    expect(good(document, {}, 'dev'), 'its own name, said again').toEqual(good(document));
    expect(wrong({ ...document, environment: 'home' }, {}, 'here')[0]).toMatch(
      /^environment: is not one of home, /,
    );
  });

  it('are checked, also those that are not chosen, and named', () => {
    const bad = {
      ...document,
      environments: { ...document.environments, qa: { listen: { port: -1 }, x: 1 } },
    };
    expect(wrong(bad)).toEqual([
      'environments.qa.listen.port: must be a whole number from 0 to 65535, got the integer -1',
      expect.stringMatching(/^environments\.qa\.x: is not a known field/),
    ]);
  });

  it.each([
    [
      'a layer that is none',
      { environments: { 'eu.prod': 3 } },
      'environments.eu.prod: must be an object, got an integer of 1 digit',
    ],
    ['layers that are none', { environments: [] }, 'environments: must be an object, got an array of 0'],
    [
      'an odd name of a layer',
      { environments: { 'a b': {} } },
      'environments["a b"]: its name must be 1 to 64 letters',
    ],
    [
      'a layer in a layer',
      { environments: { a: { environments: {} } } },
      'environments.a.environments: not a field of a layer',
    ],
    [
      'a choice in a layer',
      { environments: { a: { environment: 'b' } } },
      'environments.a.environment: not a field of a layer',
    ],
    ['an odd name', { environment: 'a b' }, 'environment: must be 1 to 64 letters'],
    ['a name of no kind', { environment: 3 }, 'environment: must be 1 to 64 letters'],
  ])('are refused for %s', (_, bad, message) => {
    const problems = wrong(bad);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(message), problems[0]).toBe(true);
  });

  it('are refused for an odd name that somebody else chooses', () => {
    expect(wrong({}, {}, 'a b')).toEqual([expect.stringMatching(/^environment: must be 1 to 64 letters/)]);
  });

  it('must be there when somebody chooses one', () => {
    expect(wrong(document, {}, 'nowhere')).toEqual(['environment: is not one of dev, prod']);
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
    ['a folder that looks like a URL', { store: 'lmdb://records' }, 'store: must be lmdb, memory'],
    ['a Redis at no port', { store: 'redis://h:99999' }, 'store: must begin with redis:// or rediss://'],
    [
      'Sentinels that watch nobody',
      { store: 'redis+sentinel://a:1' },
      'store: must name the master that the Sentinels watch: …/NAME, got a string of 20 characters',
    ],
    [
      'caps for no policy',
      { failure: { caps: { nosuch: [{ scope: 'K1', count: 5, windowMs: 1000 }] } } },
      'failure.caps.nosuch: is for no policy: there are login',
    ],
    [
      'caps that are none',
      { failure: { caps: { login: [] } } },
      'failure.caps.login: must be a list of 1 to 3 entries',
    ],
    [
      'a cap on accounts where there are none',
      { failure: { caps: { api: [{ scope: 'K4', count: 5, windowMs: 1000 }] } } },
      'failure.caps.api[0].scope: must be K2 or K1',
    ],
    [
      'a proxy that is no range',
      { trustedProxies: ['10.0.0.0/33'] },
      'trustedProxies[0]: must be an address',
    ],
    [
      'a service that leaves none to those after it',
      { limits: { services: [{ name: 'a', path: '/a' }, { name: 'b' }, { name: 'c' }] } },
      'limits.services[1]: must have a path',
    ],
    ['a service without a name', { limits: { services: [{ path: '/a' }] } }, 'limits.services[0].name'],
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
      'a scenario in shadow that is none',
      { scenarios: { shadow: ['scraping', 'scrapping'] } },
      'scenarios.shadow[1]: is not one of rotating-ips',
    ],
    [
      'a rule that cannot be in shadow',
      { policies: { login: { shadow: ['store'] } } },
      'policies.login.shadow[0]',
    ],
    [
      'a rule in shadow that the policy does not have',
      { policies: { otp: { shadow: ['score', 'spray'] } } },
      'policies.otp.shadow[1]: is not one of score, budget, guard, equilibrium, rotation',
    ],
    [
      'a rule in the shadow of a policy without it',
      { shadow: { api: ['minor', 'score'] } },
      'shadow.api[1]: is not one of minor, moderate, severe',
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
      'a search engine without domains',
      { scenarios: { goodBots: [{ agent: 'x', domains: [] }] } },
      'scenarios.goodBots',
    ],
    [
      'an Envoy domain twice',
      { envoy: [{ domain: 'a' }, { domain: 'a' }] },
      'envoy[1].domain: is the domain of',
    ],
    [
      'an unlimited limit with a unit',
      { envoy: [{ domain: 'a', descriptors: [{ key: 'k', rate_limit: { unlimited: true, unit: 'day' } }] }] },
      'envoy[0].descriptors[0].rate_limit: unlimited: has neither',
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

  it.each<[unknown, string]>([
    [
      { file: 'portcullis.yaml' },
      'file is no option of a source of configuration: there are path, env, environment',
    ],
    [{ path: 5 }, 'path must be a string, got an integer of 1 digit'],
    [
      'portcullis.yaml',
      'options of a source of configuration must be an object, got a string of 15 characters',
    ],
  ])('is refused where its source is none, and not made of defaults alone: %j', (source, message) => {
    expect(() => readServiceConfig(source as ConfigSource)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message }),
    );
  });

  it('is a fault that names the file, and what the system said of it', () => {
    expect(() => readServiceConfig({ path: '/nowhere.yaml', env: {} })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: '/nowhere.yaml: cannot be read (ENOENT)',
        cause: expect.objectContaining({ code: 'ENOENT', syscall: 'open' }),
      }),
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
});

it.each(['constructor', 'toString', '__proto__x'])('takes a policy of the name %s as any other', (name) => {
  const document = {
    policies: { [name]: { extends: 'login', actions: ['x.y'] } },
    shadow: { login: ['spray'] },
  };
  const { config, problems } = checkDocument(document, { folder: '.', env: {} });
  expect(problems).toEqual([]);
  expect(config?.policies.find((policy) => policy.name === name)?.shadow ?? []).toEqual([]);
});
