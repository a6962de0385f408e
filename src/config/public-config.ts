import type { ServiceConfig } from './service-config.ts';

/** Stands where something secret was. */
const hidden = '[hidden]';

/**
 * A configuration as operators may see it: without tokens, passwords, header values and the users and addresses that
 * limits are made for, of which only the numbers are told.
 */
export function publicConfig(config: ServiceConfig): object {
  const { limits, kratos, telemetry } = config;
  return {
    ...config,
    store: storeWithoutPassword(config.store),
    tokens: config.tokens.map(({ name, role }) => ({ name, role })),
    limits: {
      ...limits,
      overrides: limits.overrides.map(({ user, cidr: _, ...limit }) => ({
        for: user === undefined ? 'cidr' : 'user',
        ...limit,
      })),
      allow: {
        cidrs: limits.allow.cidrs?.length ?? 0,
        users: limits.allow.users?.length ?? 0,
        headers: limits.allow.headers?.map(({ name }) => name) ?? [],
      },
    },
    kratos: kratos && {
      ...kratos,
      upstreamUrl: urlWithoutPassword(kratos.upstreamUrl),
      webhooks: {
        ...kratos.webhooks,
        tokenSha256: kratos.webhooks.tokenSha256 && hidden,
        signatureSecret: kratos.webhooks.signatureSecret && hidden,
      },
    },
    telemetry: {
      ...telemetry,
      otlpEndpoint: telemetry.otlpEndpoint && urlWithoutPassword(telemetry.otlpEndpoint),
      otlpHeaders: Object.fromEntries(Object.keys(telemetry.otlpHeaders).map((name) => [name, hidden])),
    },
  };
}

const storeWithoutPassword = (store: string): string =>
  store.includes('://') ? urlWithoutPassword(store) : store;

/** The query may carry a password too. A text that is no URL is not shown at all. */
function urlWithoutPassword(text: string): string {
  if (!URL.canParse(text)) return hidden;
  const url = new URL(text);
  const login = url.username === '' && url.password === '' ? '' : `${hidden}@`;
  return `${url.protocol}//${login}${url.host}${url.pathname}${url.search === '' ? '' : `?${hidden}`}`;
}
