import { SECOND_MS } from '../core/duration.ts';

/** What holds for login backoff where nobody says otherwise: the numbers of an existing deployment. */
export const backoffDefaults = {
  maxIdentifierAttempts: 10,
  maxIpAttempts: 20,
  identifierLockoutSeconds: 120,
  ipLockoutSeconds: 120,
  resetIp: 'own',
  keys: 'hmac',
  onStoreFailure: 'policy',
} as const;

/** Connections to Kratos at once, and as many for requests whose body the client is still sending. */
export const defaultUpstreamConnections = 1_024;

/** The same for the proxy in front of Kratos. */
export const proxyDefaults = {
  lockoutPath: '/login',
  sessionCookie: 'ory_kratos_session',
  resetOnSuccess: true,
  forwardedFor: 'first',
  upstreamTimeoutMs: 30 * SECOND_MS,
  maxConnections: 20_000,
} as const;
