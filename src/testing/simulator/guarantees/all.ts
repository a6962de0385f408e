import {
  advisoryStaysLow,
  apiStaysLow,
  blockedGroupsWriteNothing,
  blocksAreNotExtended,
  blocksStopWhomTheyShould,
  trustedDeviceKeepsItsLane,
} from './blocks.ts';
import { budgetCoolsDown, budgetEpochIsFixed } from './budgets.ts';
import { localCapsHold } from './caps.ts';
import {
  deferredIsBudgetOnly,
  lowLevelsWithoutStore,
  successStoppedByHardOnly,
  wellFormedDecisions,
} from './decisions.ts';
import type { Guarantee } from './guarantee.ts';
import {
  bookIsWrittenBySuccess,
  checkWritesNothing,
  everythingCountsOnce,
  scoresOnlyDecay,
  timeRunsForward,
} from './memory.ts';
import {
  breakersKeepTheirDistance,
  eventsNameNobody,
  everyOperationIsAnswered,
  modesFollowTheContract,
  nothingIsAllowedSilently,
  shutTimeIsBounded,
} from './modes.ts';
import { nobodyHovers, recordsAreBounded } from './windows.ts';

/** Everything a simulated world is held to, at every step. */
export const guarantees: readonly Guarantee[] = [
  wellFormedDecisions,
  deferredIsBudgetOnly,
  successStoppedByHardOnly,
  blocksStopWhomTheyShould,
  trustedDeviceKeepsItsLane,
  blocksAreNotExtended,
  blockedGroupsWriteNothing,
  advisoryStaysLow,
  apiStaysLow,
  budgetEpochIsFixed,
  budgetCoolsDown,
  nobodyHovers,
  recordsAreBounded,
  timeRunsForward,
  scoresOnlyDecay,
  bookIsWrittenBySuccess,
  checkWritesNothing,
  everythingCountsOnce,
  modesFollowTheContract,
  nothingIsAllowedSilently,
  everyOperationIsAnswered,
  breakersKeepTheirDistance,
  shutTimeIsBounded,
  localCapsHold,
  lowLevelsWithoutStore,
  eventsNameNobody,
];
