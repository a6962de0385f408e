import type { Confidence, MacroPrefixes, Subject, Token } from '../core/subject.ts';
import { parseAddress } from './address.ts';
import {
  type ComponentHasher,
  createComponentHasher,
  defaultRemembered,
  type Secrets,
} from './component-hasher.ts';
import { Recent } from './recent.ts';
import { normaliseUserAgent, otherAgent } from './user-agent.ts';

/** What a host knows of a request, in clear (engine contract §2). */
export interface Signals {
  /** A blind index or an internal id. */
  readonly account?: string | null | undefined;
  readonly ip: string;
  /** The raw `User-Agent`. */
  readonly ua?: string | null | undefined;
  /** Null or absent: missing. */
  readonly device?: { readonly id: string; readonly confidence: Confidence } | null | undefined;
}

/** Turns signals into subjects: normalised and hashed, nothing of them in clear. */
export interface Identifier {
  /** @throws Fault `INPUT_INVALID` when `ip` is not the text of an address. The other signals are taken as they are. */
  identify(signals: Signals): Subject;
  /**
   * The subject of signals that were identified before, where they are the latest of their account; else undefined. So who
   * has checked signals before they were identified need not check the same ones again. An identifier may do without.
   */
  recall?(signals: Signals): Subject | undefined;
}

interface Origin {
  readonly network: Token;
  readonly macros: MacroPrefixes | null;
}

/** The longest address has 45 characters before its zone. */
const longestAddress = 64;
const longestAgent = 512;
const longestId = 128;

/** A user agent that was seen. Those who show it share its text: many do, and it is the longest of what they show. */
interface SeenAgent {
  /** Null when missing. */
  readonly ua: string | null;
  readonly token: Token;
}

/** The latest subject of an account, and what it was made of. */
interface LatestSubject {
  readonly ip: string;
  readonly agent: SeenAgent;
  readonly deviceId: string | undefined;
  readonly confidence: Confidence | undefined;
  readonly subject: Subject;
}

/** @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same. */
export function createIdentifier(secrets: Secrets, remembered = defaultRemembered): Identifier {
  const hash = createComponentHasher(secrets, remembered);
  const origins = new Recent<Origin>(remembered, longestAddress);
  const agents = new Recent<SeenAgent>(remembered, longestAgent);
  /** By account: it is mostly asked for from the same place. */
  const latest = new Recent<LatestSubject>(remembered, longestId);
  const other = hash('agent', otherAgent);
  const missing: SeenAgent = { ua: null, token: other };

  function originOf(ip: string): Origin {
    const found = origins.get(ip);
    if (found !== undefined) return found;
    const origin = hashOrigin(ip, hash);
    origins.set(ip, origin);
    return origin;
  }

  function agentOf(ua: string | null | undefined): SeenAgent {
    if (ua === undefined || ua === null) return missing;
    const found = agents.get(ua);
    if (found !== undefined) return found;
    const agent = { ua, token: hash('agent', normaliseUserAgent(ua)) };
    agents.set(ua, agent);
    return agent;
  }

  function subjectOf({ account, ip, device }: Signals, agent: SeenAgent): Subject {
    const { network, macros } = originOf(ip);
    return {
      account: account === undefined || account === null ? null : hash('account', account),
      network,
      agent: agent.token,
      otherAgent: other,
      device: device ? { token: hash('device', device.id), confidence: device.confidence } : null,
      macros,
    };
  }

  function recall(signals: Signals): Subject | undefined {
    const account = signals.account ?? null;
    const known = account === null ? undefined : latest.get(account);
    return known !== undefined && isMadeOf(known, signals) ? known.subject : undefined;
  }

  return {
    recall,
    identify(signals) {
      const known = recall(signals);
      if (known !== undefined) return known;
      const account = signals.account ?? null;
      const agent = agentOf(signals.ua);
      const subject = subjectOf(signals, agent);
      if (account !== null && isShort(signals)) latest.set(account, latestOf(signals, agent, subject));
      return subject;
    },
  };
}

/** To compare four short texts takes less time than to look three of them up. */
function isMadeOf(known: LatestSubject, { ip, ua, device }: Signals): boolean {
  return known.ip === ip && known.agent.ua === (ua ?? null) && isSameDevice(known, device ?? null);
}

/** What is no device, or has no id, is not the missing one. */
function isSameDevice({ deviceId, confidence }: LatestSubject, device: Signals['device'] | null): boolean {
  if (device === null || device === undefined) return deviceId === undefined;
  if (deviceId === undefined || typeof device !== 'object' || Array.isArray(device)) return false;
  return device.id === deviceId && device.confidence === confidence;
}

/** Longer texts are not remembered, so that nobody can fill the memory with them. */
function isShort({ ip, ua, device }: Signals): boolean {
  return (
    ip.length <= longestAddress && (ua?.length ?? 0) <= longestAgent && (device?.id.length ?? 0) <= longestId
  );
}

function latestOf({ ip, device }: Signals, agent: SeenAgent, subject: Subject): LatestSubject {
  return { ip, agent, deviceId: device?.id, confidence: device?.confidence, subject };
}

function hashOrigin(ip: string, hash: ComponentHasher): Origin {
  const { network, macros } = parseAddress(ip);
  return {
    network: hash('network', network),
    macros: macros && {
      p48: hash('prefix', macros.p48),
      p40: hash('prefix', macros.p40),
      p32: hash('prefix', macros.p32),
    },
  };
}
