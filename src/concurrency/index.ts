export type { EndingResponse } from '../connections/response-close.ts';
export type { OperatorNote } from '../operators/operator-note.ts';
export type { PinOrder } from '../operators/pin-order.ts';
export type {
  Admission,
  Admitted,
  CallOptions,
  CallOutcome,
  CapEvent,
  CapListener,
  DenialReason,
  Denied,
  Priority,
} from './admission.ts';
export type { Cap, CapStatus, Ran } from './cap.ts';
export type { CapOptions, RouteOptions } from './cap-options.ts';
export { type Caps, type CapsOptions, createCaps } from './caps.ts';
export { type Clock, systemClock } from './clock.ts';
export type { GradientState } from './gradient.ts';
export { type GradientLimit, gradientLimit } from './gradient-limit.ts';
export type { GradientOptions, GradientPolicy } from './gradient-policy.ts';
export type { WindowSummary } from './latency-window.ts';
export { fixedLimit, type Limit } from './limit.ts';
export {
  type DeniedRequest,
  type OverloadAnswer,
  type OverloadProblem,
  overloadAnswer,
} from './overload-problem.ts';
export {
  formatPressure,
  PRESSURE_HEADER,
  PressureMeter,
  parsePressure,
  REFILL_FLOOR,
  refillScale,
} from './pressure.ts';
export {
  type ExchangeOptions,
  type PressureWatch,
  type PublishOptions,
  publishPressure,
  type WatchOptions,
  watchPressure,
} from './pressure-exchange.ts';
export type { QuietLatency } from './quiet-latency.ts';
export { callerOf, releaseOnEnd, releaseWithBody } from './response-end.ts';
export { defaultRoutes, type RouteChoice, routeOf } from './routes.ts';
export { createCap } from './slot-cap.ts';
