import { describe, expect, test } from 'vitest';
import { problemText } from './problem.ts';
import { checkDocument } from './read-service-config.ts';

type Env = Readonly<Record<string, string>>;

const read = (env: Env, section: object = {}) => checkDocument({ kratos: section }, { folder: '.', env });

const settingsOf = (env: Env, section?: object) => read(env, section).config?.kratos;

const problemsOf = (env: Env, section?: object) => read(env, section).problems.map(problemText).join('; ');

describe('settings of login backoff', () => {
  test('are those of an existing deployment where nothing is said', () => {
    expect(settingsOf({})).toMatchObject({
      upstreamUrl: 'http://kratos:4433',
      maxIdentifierAttempts: 10,
      maxIpAttempts: 20,
      identifierLockoutSeconds: 120,
      ipLockoutSeconds: 120,
      resetIp: 'own',
      keys: 'hmac',
      onStoreFailure: 'policy',
      policy: 'counters',
      proxy: {
        enabled: true,
        port: 8472,
        lockoutPath: '/login',
        resetOnSuccess: true,
        forwardedFor: 'first',
        maxConnections: 20_000,
      },
    });
  });

  test('ask for policies that the engine can stand in front of Kratos with', () => {
    const problems = (policies: object, policy = 'matrix') =>
      checkDocument({ kratos: { policy }, policies }, { folder: '.', env: {} }).problems.map(problemText);
    const elsewhere = { login: { actions: ['web.login'] } };
    expect(problems({})).toEqual([]);
    expect(problems(elsewhere, 'counters')).toEqual([]);
    expect(problems(elsewhere)).toEqual([
      'kratos.policy: matrix needs policies about credentials that are bound to auth.login',
    ]);
    expect(problems({ ...elsewhere, otp: { actions: ['web.otp'] } })).toEqual([
      'kratos.policy: matrix needs policies about credentials that are bound to auth.login and auth.otp',
    ]);
    expect(problems({ ...elsewhere, odd: { extends: 'api', actions: ['auth.login'] } })).toEqual([
      'kratos.policy: matrix needs policies about credentials that are bound to auth.login',
    ]);
    expect(problems({ ...elsewhere, other: { extends: 'login', actions: ['auth.login'] } })).toEqual([]);
  });

  test('come from the environment before they come from the file', () => {
    const env = {
      LOGIN_BACKOFF_MAX_IDENTIFIER_ATTEMPTS: '5',
      LOGIN_BACKOFF_MAX_IP_ATTEMPTS: '50',
      LOGIN_BACKOFF_IDENTIFIER_LOCKOUT_SECONDS: '60',
      LOGIN_BACKOFF_IP_LOCKOUT_SECONDS: '600',
      KRATOS_INTERNAL_URL: 'https://identity.internal:4433/public',
      LOGIN_BACKOFF_RESET_IP: 'all',
      LOGIN_BACKOFF_KEYS: 'plain',
      LOGIN_BACKOFF_ON_STORE_FAILURE: 'open',
    };
    const file = { maxIdentifierAttempts: 7, keys: 'hmac', policy: 'matrix', proxy: { port: 9000 } };
    expect(settingsOf(env, file)).toMatchObject({
      maxIdentifierAttempts: 5,
      maxIpAttempts: 50,
      identifierLockoutSeconds: 60,
      ipLockoutSeconds: 600,
      upstreamUrl: 'https://identity.internal:4433/public',
      resetIp: 'all',
      keys: 'plain',
      onStoreFailure: 'open',
      policy: 'matrix',
      proxy: { port: 9000 },
    });
  });

  test.each([
    ['LOGIN_BACKOFF_MAX_IDENTIFIER_ATTEMPTS', '0'],
    ['LOGIN_BACKOFF_MAX_IDENTIFIER_ATTEMPTS', '-1'],
    ['LOGIN_BACKOFF_MAX_IP_ATTEMPTS', '1.5'],
    ['LOGIN_BACKOFF_MAX_IP_ATTEMPTS', 'ten'],
    ['LOGIN_BACKOFF_IDENTIFIER_LOCKOUT_SECONDS', '1e3'],
    ['LOGIN_BACKOFF_IDENTIFIER_LOCKOUT_SECONDS', '99999999999999999999'],
    ['LOGIN_BACKOFF_IP_LOCKOUT_SECONDS', ' 5'],
    ['LOGIN_BACKOFF_IP_LOCKOUT_SECONDS', '0x10'],
    ['KRATOS_INTERNAL_URL', 'kratos:4433'],
    ['KRATOS_INTERNAL_URL', 'ftp://kratos'],
    ['LOGIN_BACKOFF_RESET_IP', 'some'],
    ['LOGIN_BACKOFF_KEYS', 'clear'],
    ['LOGIN_BACKOFF_ON_STORE_FAILURE', 'closed'],
  ])('stop the start where %s is %j, and say so', (variable, value) => {
    expect(problemsOf({ [variable]: value })).toContain(`${variable}: must be`);
  });

  test('name every problem at once, of the environment and of the file', () => {
    const message = problemsOf(
      { LOGIN_BACKOFF_KEYS: 'x', LOGIN_BACKOFF_MAX_IP_ATTEMPTS: 'y' },
      { proxy: { port: 70_000 }, unknown: 1 },
    );
    for (const path of [
      'LOGIN_BACKOFF_KEYS',
      'LOGIN_BACKOFF_MAX_IP_ATTEMPTS',
      'kratos.proxy.port',
      'kratos.unknown',
    ])
      expect(message).toContain(path);
  });
});
