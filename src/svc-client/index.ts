export type { OperatorNote } from '../operators/operator-note.ts';
export type { PinOrder } from '../operators/pin-order.ts';
export type { BackoffPolicy } from './backoff.ts';
export type { CallResult } from './call.ts';
export {
  type Admission,
  acceptPassport,
  type Checkpoint,
  type CheckpointCounters,
  createCheckpoint,
  type RequestHeaders,
} from './checkpoint.ts';
export { createSvcClient, SvcClient } from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export { DENIED_HEADER, type Denial, type DenialReason, type Problem, problemOf } from './denial.ts';
export type { SvcEventName, SvcEvents, SvcListener } from './events.ts';
export type { SvcFetch, SvcRequestInit } from './fetch.ts';
export { type FetchHandler, withPassportFetch } from './fetch-server.ts';
export type { GlobalBreaker, GlobalBreakerPolicy, GlobalCause, Priority } from './global-breaker.ts';
export type { RecentLoop, SvcHealth, TargetHealth } from './health.ts';
export type { HealthReport, ReportedTarget } from './health-report.ts';
export type { HopPath } from './hops.ts';
export { currentJourney, type Journey, runInJourney } from './journey.ts';
export type { PassportKey } from './key-ring.ts';
export type { SpikePolicy } from './latency-history.ts';
export { passportMiddleware, withPassport } from './node-server.ts';
export type {
  CheckpointOptions,
  GlobalBreakerOptions,
  QueuePolicy,
  SvcClientOptions,
  SvcRuntime,
  TargetOptions,
} from './options.ts';
export { PASSPORT_HEADER, type PassportFlaw } from './passport.ts';
export type { PoolPolicy } from './pool.ts';
export {
  type HealthPublication,
  type PublishHealthOptions,
  type PublishHealthRuntime,
  publishHealth,
} from './publish-health.ts';
export { RECEIPT_HEADER, type ReceiptFlaw } from './receipt.ts';
export type { SvcRequest } from './request.ts';
export type { RetryCause, WithholdReason } from './retry-rules.ts';
export { parseSlugKey, type SlugKey } from './slug-key.ts';
export type { TargetBreaker, TargetBreakerPolicy } from './target-breaker.ts';
export type { TargetRetryPolicy } from './target-retry-budget.ts';
export type {
  Attempt,
  BodyEnd,
  Endpoint,
  Outcome,
  RequestBody,
  SvcBody,
  SvcResponse,
  Transport,
} from './transport.ts';
