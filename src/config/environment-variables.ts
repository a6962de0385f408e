import { resolve } from 'node:path';
import type { Problem } from './problem.ts';
import { tokenRoles } from './service-config.ts';

/** The environment of the process, as `process.env` is. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How the text of a variable becomes a value of the document; undefined when it is not one. */
type Reading = (text: string) => unknown;

const asText: Reading = (text) => text;
/** The schema says which numbers are meant; a text that is no number at all is told as what it is. */
const asNumber: Reading = (text) => (/^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text);
const asPort: Reading = (text) => (text === 'none' ? null : asNumber(text));
const asFlag: Reading = (text) =>
  ({ true: true, 1: true, false: false, 0: false })[text.toLowerCase()] ?? text;
/** Unlike in a document, a path is meant from where the process runs. */
const asPath: Reading = (text) => resolve(text);
const asStore: Reading = (text) => text.replace(/^lmdb:(.+)$/s, (_, path: string) => `lmdb:${resolve(path)}`);
const asList: Reading = (text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

interface Variable {
  readonly name: string;
  /** The field of the document that it replaces. */
  readonly field: readonly [string, ...string[]];
  readonly read: Reading;
}

const variable = (name: string, field: string, read: Reading): Variable => {
  const [first = '', ...rest] = field.split('.');
  return { name, field: [first, ...rest], read };
};

/** Every variable that is read, besides those that name the file, the environment and tokens. */
export const variables: readonly Variable[] = [
  variable('PORTCULLIS_HOST', 'listen.host', asText),
  variable('PORTCULLIS_PORT', 'listen.port', asNumber),
  variable('PORTCULLIS_GRPC_PORT', 'listen.grpcPort', asPort),
  variable('PORTCULLIS_SPOE_PORT', 'listen.spoePort', asPort),
  variable('PORTCULLIS_DATA', 'dataFolder', asPath),
  variable('PORTCULLIS_KEYS', 'keyFile', asPath),
  variable('PORTCULLIS_STORE', 'store', asStore),
  variable('PORTCULLIS_TRUSTED_PROXIES', 'trustedProxies', asList),
  variable('PORTCULLIS_NODES', 'failure.nodes', asNumber),
  variable('PORTCULLIS_LOG_LEVEL', 'telemetry.logLevel', asText),
  variable('PORTCULLIS_DECISION_LOG', 'telemetry.decisionLog.file', asPath),
  variable('PORTCULLIS_CONSOLE', 'console.enabled', asFlag),
  variable('OTEL_EXPORTER_OTLP_ENDPOINT', 'telemetry.otlpEndpoint', asText),
  variable('OTEL_SERVICE_NAME', 'telemetry.serviceName', asText),
  variable('KRATOS_INTERNAL_URL', 'kratos.upstreamUrl', asText),
  variable('LOGIN_BACKOFF_MAX_IDENTIFIER_ATTEMPTS', 'kratos.maxIdentifierAttempts', asNumber),
  variable('LOGIN_BACKOFF_MAX_IP_ATTEMPTS', 'kratos.maxIpAttempts', asNumber),
  variable('LOGIN_BACKOFF_IDENTIFIER_LOCKOUT_SECONDS', 'kratos.identifierLockoutSeconds', asNumber),
  variable('LOGIN_BACKOFF_IP_LOCKOUT_SECONDS', 'kratos.ipLockoutSeconds', asNumber),
  variable('LOGIN_BACKOFF_RESET_IP', 'kratos.resetIp', asText),
  variable('LOGIN_BACKOFF_KEYS', 'kratos.keys', asText),
  variable('LOGIN_BACKOFF_ON_STORE_FAILURE', 'kratos.onStoreFailure', asText),
  variable('LOGIN_BACKOFF_POLICY', 'kratos.policy', asText),
  variable('LOGIN_BACKOFF_WEBHOOK_TOKEN', 'kratos.webhooks.token', asText),
];

/** Names of the file and of the environment. */
export const configVariable = 'PORTCULLIS_CONFIG';
export const environmentVariable = 'PORTCULLIS_ENVIRONMENT';

const tokenPrefix = 'PORTCULLIS_TOKEN_';

/** What the environment says, as a layer over the document, and which variable each of its fields comes from. */
export interface VariableLayer {
  readonly layer: Readonly<Record<string, unknown>>;
  /** Tokens stand beside those of the document. */
  readonly tokens: readonly { readonly name: string; readonly role: string; readonly token: string }[];
  /** Variable names by the path of the field. */
  readonly origins: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** An empty variable counts as one that is not set. */
export function readVariables(env: Environment): VariableLayer {
  const layer: Record<string, unknown> = {};
  const origins = new Map<string, string>();
  for (const { name, field, read } of variables) {
    const text = env[name];
    if (text === undefined || text === '') continue;
    put(layer, field, read(text));
    origins.set(field.join('.'), name);
  }
  return { layer, origins, ...readTokens(env) };
}

function put(layer: Record<string, unknown>, field: readonly string[], value: unknown): void {
  const [step = '', ...rest] = field;
  if (rest.length === 0) {
    layer[step] = value;
    return;
  }
  const inner = (layer[step] ?? {}) as Record<string, unknown>;
  layer[step] = inner;
  put(inner, rest, value);
}

/** `PORTCULLIS_TOKEN_OPERATE`, or with a name of its own: `PORTCULLIS_TOKEN_OPERATE_ALICE`. */
function readTokens(env: Environment): Pick<VariableLayer, 'tokens' | 'problems'> {
  const tokens: { name: string; role: string; token: string }[] = [];
  const problems: Problem[] = [];
  for (const [variable, token] of Object.entries(env)) {
    if (!variable.startsWith(tokenPrefix) || token === undefined || token === '') continue;
    const words = variable.slice(tokenPrefix.length).toLowerCase();
    const role = tokenRoles.find((known) => words === known || words.startsWith(`${known}_`));
    if (role === undefined) {
      problems.push({
        path: variable,
        message: `must name a role: ${tokenPrefix}DECIDE, _OBSERVE or _OPERATE`,
      });
    } else if (token.length < 16 || token.length > 1024) {
      const message = `must be a token of 16 to 1024 characters, got a string of ${token.length} characters`;
      problems.push({ path: variable, message });
    } else {
      tokens.push({ name: words.slice(role.length + 1) || `env-${role}`, role, token });
    }
  }
  return { tokens, problems };
}
