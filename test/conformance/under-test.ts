/** What the tests of single stores share with the suite that all of them pass. */
export {
  addOne,
  type Count,
  collect,
  countOf,
  group,
  kept,
  type OpenedStore,
  rejection,
  times,
} from '../../src/testing/conformance/under-test.ts';
