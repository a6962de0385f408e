import type { DescriptorEntry, DomainDocument } from '../limits/descriptors/domain-document.ts';
import type { AllowListOptions } from '../limits/index.ts';
import type {
  KratosSettings,
  LimitSettings,
  ScenarioSettings,
  ServiceConfig,
  TelemetrySettings,
} from './service-config.ts';

/** Stands where something secret was. */
const hidden = '[hidden]';

/** Every section has to be named: a new one does not compile until somebody has said what of it is shown. */
type PublicConfig = { readonly [Section in keyof ServiceConfig]: unknown };

/**
 * A configuration as operators may see it: without tokens, passwords, header values and the users, addresses and keys that
 * limits are made for, of which only the numbers are told.
 */
export function publicConfig(config: ServiceConfig): PublicConfig {
  return {
    environment: config.environment,
    listen: config.listen,
    dataFolder: config.dataFolder,
    keyFile: config.keyFile,
    store: storeWithoutPassword(config.store),
    tokens: config.tokens.map(({ name, role }) => ({ name, role })),
    trustedProxies: config.trustedProxies,
    forwardingHeader: config.forwardingHeader,
    policies: config.policies,
    limits: publicLimits(config.limits),
    scenarios: publicScenarios(config.scenarios),
    kratos: config.kratos && publicKratos(config.kratos),
    envoy: config.envoy.map(publicEntry),
    failure: config.failure,
    telemetry: publicTelemetry(config.telemetry),
    console: config.console,
    pins: config.pins,
  };
}

const publicLimits = (limits: LimitSettings) => ({
  ...limits,
  overrides: limits.overrides.map(({ user, cidr: _, ...limit }) => ({
    for: user === undefined ? 'cidr' : 'user',
    ...limit,
  })),
  allow: allowCounts(limits.allow),
});

const publicScenarios = (scenarios: ScenarioSettings) => ({
  ...scenarios,
  allow: allowCounts(scenarios.allow),
  list: scenarios.list.map(({ allow, ...scenario }) =>
    allow === undefined ? scenario : { ...scenario, allow: allowCounts(allow) },
  ),
});

const publicKratos = (kratos: KratosSettings) => ({
  ...kratos,
  upstreamUrl: urlWithoutPassword(kratos.upstreamUrl),
  webhooks: {
    ...kratos.webhooks,
    tokenSha256: kratos.webhooks.tokenSha256 && hidden,
    signatureSecret: kratos.webhooks.signatureSecret && hidden,
  },
});

/**
 * Values of descriptors can be users, addresses and API keys, at any depth. That there is one is told: without it any
 * matches.
 */
function publicEntry(entry: DomainDocument | DescriptorEntry): object {
  const { descriptors } = entry;
  return {
    ...entry,
    ...('value' in entry && entry.value !== undefined ? { value: hidden } : {}),
    ...(descriptors === undefined ? {} : { descriptors: descriptors.map(publicEntry) }),
  };
}

const publicTelemetry = (telemetry: TelemetrySettings) => ({
  ...telemetry,
  otlpEndpoint: telemetry.otlpEndpoint && urlWithoutPassword(telemetry.otlpEndpoint),
  otlpHeaders: Object.fromEntries(Object.keys(telemetry.otlpHeaders).map((name) => [name, hidden])),
});

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
