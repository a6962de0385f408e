import { MINUTE_MS } from '../core/duration.ts';
import type { Scenario } from './scenario.ts';

/** Vulnerability scanners and forced browsing: 404s on many different paths. */
const pathScan: Scenario = {
  name: 'path-scan',
  filter: { status: ['404'], assets: false },
  key: 'client',
  distinct: [{ of: 'path', atLeast: 30, windowMs: 5 * MINUTE_MS }],
  bucket: { capacity: 40, leakPerMinute: 20 },
};

/** The scenarios that are there without any configuration. */
export const builtInScenarios: readonly Scenario[] = [pathScan];
