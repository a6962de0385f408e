export type { Clock } from '../guard/failure/clock.ts';
export { type ConformanceOptions, storeConformance } from './conformance/store-conformance.ts';
export type { TestFramework } from './conformance/test-framework.ts';
export type { OpenedStore } from './conformance/under-test.ts';
export {
  createFaultyStore,
  type FaultyStore,
  type StoreCallName,
  type StoreTrouble,
  type TroublePlan,
} from './faulty-store.ts';
export { type Cut, cutScenario, noCut, readCut, readNumber, reproCommand } from './simulator/cut.ts';
export { guarantees } from './simulator/guarantees/all.ts';
export type { Guarantee, Telling, Watcher } from './simulator/guarantees/guarantee.ts';
export { makeScenario } from './simulator/make-scenario.ts';
export type { OperationTrace } from './simulator/operation-trace.ts';
export type { ActorPlan, Scenario, Trouble } from './simulator/scenario.ts';
export { type FailingSeed, type SearchOptions, type SearchResult, searchSeeds } from './simulator/search.ts';
export { type Shrunk, shrink } from './simulator/shrink.ts';
export {
  type Simulation,
  type SimulationOptions,
  simulate,
  simulateSeed,
  type Violation,
} from './simulator/simulate.ts';
export type { Tampering } from './simulator/world.ts';
export { settled, VirtualClock } from './virtual-clock.ts';
