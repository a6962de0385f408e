import type { AllowListOptions } from '../limits/index.ts';
import type { ServiceConfig } from './service-config.ts';

/** Stands where something secret was. */
const hidden = '[hidden]';

/**
 * A configuration as operators may see it: without tokens, passwords, header values and the users and addresses that
 * limits are made for, of which only the numbers are told.
 */
export function publicConfig(config: ServiceConfig): object {
  const { limits, scenarios, kratos, telemetry } = config;
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
      allow: allowCounts(limits.allow),
    },
    scenarios: {
      ...scenarios,
      allow: allowCounts(scenarios.allow),
      list: scenarios.list.map(({ allow, ...scenario }) =>
        allow === undefined ? scenario : { ...scenario, allow: allowCounts(allow) },
      ),
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

/** How many are let through, not who. */
const allowCounts = ({ cidrs = [], users = [], headers = [] }: AllowListOptions) => ({
  cidrs: cidrs.length,
  users: users.length,
  headers: headers.map(({ name }) => name),
});

const storeWithoutPassword = (store: string): string =>
  store.includes('://') ? urlWithoutPassword(store) : store;

/** The query may carry a password too. A text that is no URL is not shown at all. */
function urlWithoutPassword(text: string): string {
  if (!URL.canParse(text)) return hidden;
  const url = new URL(text);
  const login = url.username === '' && url.password === '' ? '' : `${hidden}@`;
  return `${url.protocol}//${login}${url.host}${url.pathname}${url.search === '' ? '' : `?${hidden}`}`;
}
