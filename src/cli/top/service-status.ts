import type { Outcome } from '../../core/decision.ts';

/** As much of a service's status as is shown. Anything else in the answer, or missing from it, is passed over. */
export interface ServiceStatus {
  readonly version: string;
  readonly environment: string;
  readonly store: string;
  readonly storeAnswers: boolean;
  readonly draining: boolean;
  readonly startedAt: number;
  readonly at: number;
  readonly modes: readonly { readonly policy: string; readonly mode: string }[];
  /** Since the service has started. */
  readonly decisions: Readonly<Record<Outcome, number>>;
}

/** Blocks that run, by scope. */
export interface ActiveBlocks {
  readonly hard: number;
  readonly soft: number;
  readonly scopes: ReadonlyMap<string, number>;
  /** Whether there are more than were counted. */
  readonly more: boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export const numberIn = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

export function listIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function readStatus(body: unknown): ServiceStatus {
  const { version, environment, store, storeAnswers, draining, startedAt, at, modes, decisions } =
    fieldsOf(body);
  return {
    version: textIn(version),
    environment: textIn(environment),
    store: textIn(store),
    storeAnswers: storeAnswers !== false,
    draining: draining === true,
    startedAt: numberIn(startedAt),
    at: numberIn(at),
    modes: listIn(modes).map(({ policy, mode }) => ({ policy: textIn(policy), mode: textIn(mode) })),
    decisions: totalsOf(Object.values(fieldsOf(decisions)).map(fieldsOf)),
  };
}

function totalsOf(policies: readonly Fields[]): ServiceStatus['decisions'] {
  const total = (outcome: Outcome) => policies.reduce((sum, counts) => sum + numberIn(counts[outcome]), 0);
  return { ALLOW: total('ALLOW'), SOFT_BLOCK: total('SOFT_BLOCK'), HARD_BLOCK: total('HARD_BLOCK') };
}

export function readBlocks(body: unknown): ActiveBlocks {
  const { blocks, more } = fieldsOf(body);
  const scopes = new Map<string, number>();
  let hard = 0;
  let soft = 0;
  for (const { scope, outcome } of listIn(blocks)) {
    if (outcome === 'HARD_BLOCK') hard += 1;
    else soft += 1;
    scopes.set(textIn(scope), (scopes.get(textIn(scope)) ?? 0) + 1);
  }
  return { hard, soft, scopes, more: more === true };
}
