import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Rule } from '../core/decision.ts';
import type { Policy } from '../core/policy.ts';
import { capsMisfits } from '../guard/failure/caps-fit.ts';
import { missingActions, missingActionsText } from '../kratos/matrix-actions.ts';
import type { DomainDocument } from '../limits/descriptors/domain-document.ts';
import type { KratosData } from './kratos-schema.ts';
import type { LimitsData } from './limits-schema.ts';
import { resolvePolicies } from './policy-file.ts';
import { shadowProblems } from './policy-sense.ts';
import { fieldPath, type Problem } from './problem.ts';
import { resolveScenarios, type ScenariosData } from './scenarios-section.ts';
import type {
  KratosSettings,
  LimitSettings,
  ScenarioSettings,
  ServiceConfig,
  ServiceToken,
  TelemetrySettings,
} from './service-config.ts';
import { serviceDefaults as defaults } from './service-defaults.ts';
import type { ServiceData } from './service-schema.ts';
import { merge } from './tree.ts';

/** What a document has to say, once it is known to be valid, and where it lies. */
export interface Source {
  readonly environment: string;
  readonly data: ServiceData;
  /** Relative paths of the document start here. */
  readonly folder: string;
  readonly envoy: readonly DomainDocument[];
}

/** Completes a valid document. What only shows once it is complete is added to `problems`. */
export function resolveService(source: Source, problems: Problem[]): ServiceConfig {
  const { environment, data, folder, envoy } = source;
  const dataFolder = resolve(folder, data.dataFolder ?? defaults.dataFolder);
  const listen = { ...defaults.listen, ...data.listen };
  const policies = policiesIn(data, problems);
  const kratos = kratosOf(data.kratos ?? null, listen.host);
  problems.push(...kratosProblems(kratos, policies));
  const tokens = (data.tokens ?? []).map(tokenOf);
  problems.push(...tokenProblems(tokens));
  return {
    environment,
    listen,
    dataFolder,
    keyFile:
      data.keyFile === undefined ? resolve(dataFolder, defaults.keyFileName) : resolve(folder, data.keyFile),
    store: storeOf(data.store ?? defaults.store, folder),
    tokens,
    trustedProxies: data.trustedProxies ?? [],
    forwardingHeader: data.forwardingHeader ?? defaults.forwardingHeader,
    policies,
    limits: limitsOf(data.limits ?? {}),
    scenarios: scenariosOf(data.scenarios ?? {}, problems),
    kratos,
    envoy,
    failure: failureOf(data.failure ?? {}, policies, problems),
    telemetry: telemetryOf(data.telemetry ?? {}, folder, dataFolder),
    console: { enabled: data.console?.enabled ?? true },
    pins: { ...defaults.pins, ...data.pins },
  };
}

/** Refuses what the guard would refuse at the start. */
function failureOf(
  data: NonNullable<ServiceData['failure']>,
  policies: readonly Policy[],
  problems: Problem[],
): ServiceConfig['failure'] {
  const failure = { breaker: {}, caps: {}, ...defaults.failure, ...data };
  for (const { policy, place, message } of capsMisfits(failure.caps, policies))
    problems.push({ path: `${fieldPath('failure.caps', policy)}${place}`, message });
  return failure;
}

function telemetryOf(
  { decisionLog = null, ...data }: NonNullable<ServiceData['telemetry']>,
  folder: string,
  dataFolder: string,
): TelemetrySettings {
  const telemetry = merge(defaults.telemetry, data) as TelemetrySettings;
  if (decisionLog === null) return telemetry;
  const { fileName, ...bounds } = defaults.decisionLog;
  const { file } = decisionLog;
  return {
    ...telemetry,
    decisionLog: {
      ...bounds,
      ...decisionLog,
      file: file === undefined ? resolve(dataFolder, fileName) : resolve(folder, file),
    },
  };
}

/** `lmdb:records` lies beside the document that says so. */
function storeOf(store: string, folder: string): string {
  const path = /^lmdb:(.+)$/s.exec(store)?.[1];
  return path === undefined ? store : `lmdb:${resolve(folder, path)}`;
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

function tokenOf({ name, role, sha256, token }: NonNullable<ServiceData['tokens']>[number]): ServiceToken {
  return { name, role, sha256: sha256?.toLowerCase() ?? sha256Of(token ?? '') };
}

/** Of one token in two roles only one would count, and nobody could tell which. */
function tokenProblems(tokens: readonly ServiceToken[]): Problem[] {
  return tokens.flatMap(({ sha256 }, index) => {
    const first = tokens.findIndex((token) => token.sha256 === sha256);
    return first === index
      ? []
      : [{ path: `tokens[${index}]`, message: `is the same token as that of tokens[${first}]` }];
  });
}

/** Refuses what would have every login end in a fault. */
function kratosProblems(kratos: KratosSettings | null, policies: readonly Policy[]): Problem[] {
  const missing = kratos?.policy === 'matrix' ? missingActions(policies) : [];
  return missing.length === 0 ? [] : [{ path: 'kratos.policy', message: missingActionsText(missing) }];
}

/** Rules in shadow are those of the policy itself and those of the common list. */
function policiesIn({ policies, shadow = [] }: ServiceData, problems: Problem[]): readonly Policy[] {
  const resolved = resolvePolicies(policies, problems);
  if (!Array.isArray(shadow)) problems.push(...unknownPolicies(shadow, resolved));
  return resolved.map((policy) => {
    const listed = Array.isArray(shadow) ? shadow : ownField(shadow, policy.name);
    if (!Array.isArray(shadow))
      problems.push(...shadowProblems(policy, listed, fieldPath('shadow', policy.name)));
    const all = [...new Set([...(policy.shadow ?? []), ...listed])];
    return all.length === 0 ? policy : { ...policy, shadow: all };
  });
}

/** Not what every object has: a policy may be named `constructor`. */
function ownField(shadow: Readonly<Record<string, readonly Rule[]>>, name: string): readonly Rule[] {
  return (Object.hasOwn(shadow, name) ? shadow[name] : undefined) ?? [];
}

function unknownPolicies(shadow: object, policies: readonly Policy[]): Problem[] {
  const names = policies.map(({ name }) => name);
  return Object.keys(shadow)
    .filter((name) => !names.includes(name))
    .map((name) => ({ path: fieldPath('shadow', name), message: `is not one of ${names.join(', ')}` }));
}

function limitsOf({ signedIn = {}, ...data }: LimitsData): LimitSettings {
  return {
    services: [],
    overrides: [],
    anonymous: {},
    allow: {},
    shadow: false,
    ...defaults.limits,
    ...signedIn,
    ...data,
  };
}

function scenariosOf(data: ScenariosData, problems: Problem[]): ScenarioSettings {
  const { list: _, ...settings } = Array.isArray(data) ? {} : data;
  return {
    allow: {},
    shadow: false,
    goodBots: false,
    ...defaults.scenarios,
    ...settings,
    list: resolveScenarios(data, problems),
  };
}

function kratosOf(data: KratosData | null, host: string): KratosSettings | null {
  if (data === null || data.enabled === false) return null;
  const { enabled: _, webhooks = {}, proxy, ...settings } = data;
  const { token, tokenSha256, signatureSecret = null, cidrs = [] } = webhooks;
  return {
    ...defaults.kratos,
    ...settings,
    webhooks: {
      tokenSha256: tokenSha256?.toLowerCase() ?? (token === undefined ? null : sha256Of(token)),
      signatureSecret,
      cidrs,
    },
    proxy: { ...defaults.kratosProxy, host, ...proxy },
  };
}
