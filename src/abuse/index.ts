export { builtInScenarios } from './built-in-scenarios.ts';
export type {
  ScenarioCount,
  ScenarioCounts,
  ScenarioEvent,
  ScenarioFinding,
  ScenarioListener,
  ScenarioSkip,
} from './events.ts';
export {
  type BotVerifier,
  type BotVerifierOptions,
  createBotVerifier,
  type GoodBot,
  knownBots,
  type NameResolver,
} from './good-bots.ts';
export { observeRequests, type RequestReport, requestReportSchema } from './observe-requests.ts';
export type { RequestCall, RequestEvent } from './request-event.ts';
export { runScenarios, type ScenarioRun } from './run-scenarios.ts';
export type {
  BlockResponse,
  DegradeResponse,
  DistinctCondition,
  DistinctValue,
  EventFilter,
  LeakyBucket,
  QueryFilter,
  Scenario,
  ScenarioResponse,
  Sign,
  SignKey,
} from './scenario.ts';
export { type ReadScenarios, readScenarios, scenarioProblems } from './scenario-problems.ts';
export { builtInOverrideSchema, scenarioSchema } from './scenario-schema.ts';
export type { ScenarioStanding } from './scenario-standing.ts';
export { createScenarios, type Scenarios } from './scenarios.ts';
export type { ScenariosOptions } from './scenarios-options.ts';
export type { WatchOptions } from './watch.ts';
