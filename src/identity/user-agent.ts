interface Family {
  readonly name: string;
  readonly tokens: readonly string[];
  /** What must stand somewhere after the token. */
  readonly before?: string;
}

/** Browsers that name themselves after others stand before them: the first family that matches counts. */
const families: readonly Family[] = [
  { name: 'opera', tokens: ['OPR/', 'OPiOS/', 'Opera/'] },
  { name: 'edge', tokens: ['Edg/', 'EdgA/', 'EdgiOS/', 'Edge/'] },
  { name: 'firefox', tokens: ['Firefox/', 'FxiOS/'] },
  { name: 'chrome', tokens: ['Chrome/', 'CriOS/'] },
  { name: 'safari', tokens: ['Version/'], before: 'Safari/' },
];

/** What every user agent without a known family and major counts as. */
export const otherAgent = 'other/0';

const zero = 48;
const nine = 57;
const mostDigits = 3;

/**
 * A raw `User-Agent` as `family/major` (engine contract §2), so that an update of a browser's minor version is not a
 * new agent and the raw text need not be kept. Takes time linear in the text. Never fails.
 */
export function normaliseUserAgent(raw: string | undefined): string {
  if (raw === undefined) return otherAgent;
  for (const { name, tokens, before } of families) {
    const end = before === undefined ? raw.length : raw.lastIndexOf(before);
    const major = leftmostMajor(raw, tokens, end);
    if (major !== null) return `${name}/${major}`;
  }
  return otherAgent;
}

/** The major after the leftmost of these tokens that starts before `end` and has one. */
function leftmostMajor(raw: string, tokens: readonly string[], end: number): number | null {
  let leftmost = end;
  let major: number | null = null;
  for (const token of tokens) {
    for (let at = raw.indexOf(token); at >= 0 && at < leftmost; at = raw.indexOf(token, at + token.length)) {
      const candidate = majorAt(raw, at + token.length);
      if (candidate === null) continue;
      leftmost = at;
      major = candidate;
    }
  }
  return major;
}

/** The number of one to three digits that starts here; null if there is none or it goes on. */
function majorAt(raw: string, start: number): number | null {
  let end = start;
  while (end - start <= mostDigits && isDigit(raw.charCodeAt(end))) end += 1;
  const digits = end - start;
  return digits === 0 || digits > mostDigits ? null : Number(raw.slice(start, end));
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}
