/** The glossary in the console's words. Names that are not known here are shown as they are. */

const scopeWords: Readonly<Record<string, string>> = {
  K4: 'Account',
  K5: 'Account device',
  K3: 'Network device',
  D: 'Device anywhere',
  K2: 'Network user agent',
  K1: 'Network',
  P48: 'IPv6 /48',
  P40: 'IPv6 /40',
  U: 'Signed-in user',
};

const ruleWords: Readonly<Record<string, string>> = {
  blocked: 'A block was running',
  score: 'Failures added up',
  budget: 'Daily failure budget used up',
  guard: 'Recovery guard of one-time codes',
  equilibrium: 'Soft blocks kept coming back',
  spray: 'Many accounts from one network',
  rotation: 'Device changes on one account',
  'rotation.repeat': 'Device changes again and again',
  dilution: 'One device from many networks',
  churn: 'Many devices behind one user agent',
  flood: 'Flood of new devices',
  prefix: 'Spray across an IPv6 prefix',
  minor: 'Over the rate of its user agent',
  moderate: 'Over the rate of its device',
  severe: 'Over the rate of its network',
  limit: 'Over its rate',
  'auto-block': 'Went on over its rate',
  'rotating-ips': 'One client from many networks',
  'header-twins': 'Many clients with the same headers',
  'path-scan': 'Looked for paths that are not there',
  scraping: 'Read one thing after the other',
  'invalid-input': 'Sent input that is not valid',
  'id-guessing': 'Guessed ids',
  'failing-writes': 'Writes failed in a row',
  'deep-pagination': 'Turned pages nobody reads',
  degraded: 'Local cap while the store was away',
  store: 'The store failed',
};

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
