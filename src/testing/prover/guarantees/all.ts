import {
  deviceAwareness,
  failuresLeaveAMark,
  rotationResetsNothing,
  trustedOwnerGetsIn,
} from './accounts.ts';
import { escalationPersists, ipOnlyIsNeverFinal, noSingleSignal } from './blocks.ts';
import { budgetLocksNobodyOut, epochIsFixed, sameDeviceIsCounted } from './budgets.ts';
import { auditable, deterministicAndAtomic } from './decisions.ts';
import type { Guarantee } from './guarantee.ts';

/** What the engine promises, in the order of the promises. */
export const guarantees: readonly Guarantee[] = [
  noSingleSignal,
  budgetLocksNobodyOut,
  epochIsFixed,
  sameDeviceIsCounted,
  rotationResetsNothing,
  ipOnlyIsNeverFinal,
  deviceAwareness,
  escalationPersists,
  deterministicAndAtomic,
  auditable,
  failuresLeaveAMark,
  trustedOwnerGetsIn,
];
