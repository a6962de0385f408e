import Type from 'typebox';
import { choice, cidrs, milliseconds, name, optionalFields, port, text, whole } from './fields.ts';

const sha256 = Type.String({ pattern: '^[0-9a-fA-F]{64}$', expected: '64 hexadecimal digits' });

/** What a configuration may say of the login backoff for Ory Kratos. */
export const KratosSection = optionalFields(
  {
    enabled: Type.Boolean({ description: 'Default: true once there is a `kratos` section.' }),
    upstreamUrl: text(2048, 'Where Kratos’s public API is.'),
    maxIdentifierAttempts: whole(1, 1_000_000),
    maxIpAttempts: whole(1, 1_000_000),
    identifierLockoutSeconds: whole(1, 31_622_400),
    ipLockoutSeconds: whole(1, 31_622_400),
    resetIp: choice(['own', 'all'], 'What a success takes from the counter of its address.'),
    keys: choice(['hmac', 'plain'], '`plain` shares a Redis with an existing deployment.'),
    onStoreFailure: choice(['policy', 'open']),
    policy: choice(['counters', 'matrix'], 'Two counters, or the whole engine.'),
    webhooks: optionalFields({
      token: Type.String({ minLength: 16, maxLength: 1024, description: 'Bearer token, in clear.' }),
      tokenSha256: sha256,
      signatureSecret: Type.String({ minLength: 16, maxLength: 1024 }),
      cidrs: cidrs('Who may call without token and signature, besides loopback.'),
    }),
    proxy: optionalFields({
      enabled: Type.Boolean(),
      host: text(255),
      port: port(),
      lockoutPath: Type.String({
        pattern: '^/[!-~]*$',
        maxLength: 512,
        expected:
          'a path of at most 512 characters that starts with "/" and has no other than those of a URL',
      }),
      sessionCookie: name('By which Kratos says that a login has succeeded.'),
      resetOnSuccess: Type.Boolean({
        description: 'Whether a success that the proxy sees resets the counters, as the webhook does.',
      }),
      forwardedFor: choice(
        ['first', 'nearest'],
        'Which address of `X-Forwarded-For` counts: the first, or the nearest that is no trusted proxy.',
      ),
      upstreamTimeoutMs: milliseconds(600_000, 'Until Kratos has begun to answer; then 504.'),
      maxConnections: whole(1, 1_000_000, 'Of clients at once. Default 20000.'),
    }),
  },
  { description: 'Login backoff in front of Ory Kratos.' },
);

export type KratosData = Type.Static<typeof KratosSection>;
