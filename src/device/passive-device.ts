import { createHash } from 'node:crypto';
import { normaliseUserAgent, otherAgent } from '../identity/user-agent.ts';
import type { HeaderReader, ShownDevice } from './shown-device.ts';

const leastTraits = 2;
const mostLanguages = 8;
const longestLanguageHeader = 512;
const idChars = 22;

/**
 * A device by what every browser sends anyway: family, languages and platform. Many people share one, so its confidence
 * is LOW; with fewer than two of the three there is none.
 */
export function passiveDevice(header: HeaderReader): ShownDevice | null {
  const traits = [familyOf(header('user-agent')), languagesOf(header('accept-language')), platformOf(header)];
  if (traits.filter((trait) => trait !== null).length < leastTraits) return null;
  const digest = createHash('sha256').update(JSON.stringify(traits)).digest('base64url');
  return { id: `p:${digest.slice(0, idChars)}`, confidence: 'LOW' };
}

/** Without the version: an update is no new device. */
function familyOf(ua: string | null | undefined): string | null {
  const agent = normaliseUserAgent(ua ?? undefined);
  return agent === otherAgent ? null : agent.slice(0, agent.indexOf('/'));
}

/** The languages in order of preference, as far as they are well formed. Weights differ by version and say nothing. */
function languagesOf(text: string | null | undefined): string | null {
  if (!text || text.length > longestLanguageHeader) return null;
  const languages = text
    .toLowerCase()
    .split(',')
    .slice(0, mostLanguages)
    .map((entry) => entry.split(';')[0]?.trim() ?? '')
    .filter((language) => /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/.test(language));
  return languages.length === 0 ? null : languages.join(',');
}

/** `Sec-CH-UA-Platform` is a quoted text. */
function platformOf(header: HeaderReader): string | null {
  const platform = header('sec-ch-ua-platform')
    ?.match(/^"([A-Za-z0-9 ._-]{1,32})"$/)?.[1]
    ?.toLowerCase();
  return platform === undefined || platform === 'unknown' ? null : platform;
}
