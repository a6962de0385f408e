import { createCell } from '../state/cell.ts';
import type { LogChoices } from './log-choices.ts';
import type { ToReplay } from './replay-messages.ts';

/** What stands in the form of a replay. */
export interface ReplayDraft {
  readonly file: File | null;
  readonly format: ToReplay['format'];
  readonly choices: LogChoices;
  readonly policyA: string;
  readonly compares: boolean;
  /** Kept also while nothing is compared. */
  readonly policyB: string;
}

const emptyDraft: ReplayDraft = {
  file: null,
  format: 'detect',
  choices: { year: '', timeZone: '', login: '', loginFails: '', trustedProxy: '' },
  policyA: '',
  compares: false,
  policyB: '',
};

/** Kept outside of the page, as its report is: who looks at another page meanwhile finds both again. */
export const replayDraft = createCell(emptyDraft);

export function changeDraft(change: Partial<ReplayDraft>): void {
  replayDraft.set({ ...replayDraft.get(), ...change });
}

export function forgetDraft(): void {
  replayDraft.set(emptyDraft);
}

/** What the form asks for; null without a file. */
export function orderOf({ file, format, choices, policyA, compares, policyB }: ReplayDraft): ToReplay | null {
  return file === null ? null : { file, format, choices, policyA, policyB: compares ? policyB : null };
}
