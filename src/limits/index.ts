export { retryAfterSeconds } from '../core/duration.ts';
export { requestIdHeader, requestIdOf } from '../identity/request-id.ts';
export type { AllowListOptions, SkippedBy } from './allow-list.ts';
export type { Limit } from './allowance.ts';
export type { Call, CallStanding } from './call.ts';
export type { ClientBlock } from './client-blocks.ts';
export type { Client } from './client-finder.ts';
export { type DeploymentOptions, deploymentWarnings } from './deployment-warnings.ts';
export type { LimitCounts, LimitEvent, LimitListener } from './events.ts';
export { createLimiter, type Limiter } from './limiter.ts';
export type { LimiterOptions, LimitOverride, ShadowRule } from './limiter-options.ts';
export { type LimitProblem, limitProblem, problemMediaType } from './problem.ts';
export {
  type HeaderList,
  type HeaderOptions,
  rateLimitHeaders,
} from './rate-limit-headers.ts';
export { defaultRoutes, type Route } from './route-table.ts';
export type { LimitMode } from './store-fallback.ts';
export type { LimitRule } from './take.ts';
export type { QuotaState, Verdict } from './verdict.ts';
export type { Warning, WarningListener } from './warning.ts';
