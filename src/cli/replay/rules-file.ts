import { randomBytes } from 'node:crypto';
import type { LimitSettings } from '../../config/service-config.ts';
import { defaultPolicies, type Policy } from '../../core/policy.ts';
import { Engine } from '../../guard/engine.ts';
import { createIdentifier } from '../../identity/identifier.ts';
import { createLimiter } from '../../limits/limiter.ts';
import type { Store } from '../../stores/store.ts';
import { REMEMBERED_COMPONENTS } from '../engine-options.ts';
import { RequestDecider } from './request-decider.ts';

/** What decides in a replay: of a policy file, or of a service's configuration. */
export interface Rules {
  readonly policies: readonly Policy[];
  /** Null: the limiter's defaults. */
  readonly limits: LimitSettings | null;
}

/** Reads a policy file or the configuration of a service. What reads them is loaded only when there is one. */
export async function readRules(file: string | undefined): Promise<Rules> {
  if (file === undefined) return { policies: defaultPolicies, limits: null };
  const { readServiceConfig } = await import('../../config/read-service-config.ts');
  const { policies, limits } = readServiceConfig({ path: file, env: {} });
  return { policies, limits };
}

/** An engine whose keys mean nothing outside of this run. */
export function engineOf({ policies }: Rules): Engine {
  return new Engine({
    identifier: createIdentifier({ secret: randomBytes(32) }, REMEMBERED_COMPONENTS),
    policies,
    environment: 'replay',
  });
}

/** The limiter of the rules over a store of this run. */
export function requestDeciderOf({ limits }: Rules, store: Store): RequestDecider {
  return new RequestDecider(
    createLimiter({ ...limits, store, secret: randomBytes(32), environment: 'replay', warn: () => {} }),
  );
}
