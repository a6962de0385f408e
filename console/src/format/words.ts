import { ruleWords, scopeWords } from '../../../src/cli/replay/rule-words.ts';

/** The glossary in the console's words. Names that are not known here are shown as they are. */

export const scopeWord = (scope: string): string => scopeWords[scope] ?? scope;
export const ruleWord = (rule: string): string => ruleWords[rule] ?? rule;

const meanings: Readonly<Record<string, string>> = {
  DEGRADED: 'Decisions come from local caps of this node; nothing is remembered.',
  FAIL_CLOSED: 'Every attempt is refused.',
  FAIL_OPEN: 'Calls pass up to the local guardrails of this node.',
};

const storeAway = 'The store is away.';
const storeBack = 'The store answers now; the policy returns to it once it has done so for some minutes.';

/**
 * What a mode means for the people behind the requests.
 *
 * @param storeAnswers a policy stays away from its store for minutes after that is back, and who reads that it is away
 *   would look for a fault there in vain
 */
export function modeSentences(mode: string, storeAnswers: boolean): string {
  const meaning = meanings[mode] ?? `Mode ${mode}.`;
  return `${storeAnswers ? storeBack : storeAway} ${meaning}`;
}

/** Why a policy left its store; empty where that is not known. */
export const faultSentence = (code: string | null): string =>
  code === null ? '' : `The store was too slow or failed (${code}). `;

const outcomeWords: Readonly<Record<string, string>> = {
  ALLOW: 'Allowed',
  SOFT_BLOCK: 'Soft block',
  HARD_BLOCK: 'Hard block',
};

export const outcomeWord = (outcome: string): string => outcomeWords[outcome] ?? outcome;

const endWords: Readonly<Record<string, string>> = { storeFailures: 'the store failed' };

/** How a call at the gateway ended, as its limiter counts it. */
export const endWord = (name: string): string => endWords[name] ?? name;

/** A block's id cut for the eye: policy and scope stand in their own columns, and of each hash eight characters do. */
export function shortBlock(id: string): string {
  return id
    .split(':')
    .slice(2)
    .map((hash) => (hash.length > 8 ? `${hash.slice(0, 8)}…` : hash))
    .join(' · ');
}
