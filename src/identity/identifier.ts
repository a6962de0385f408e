import type { Confidence, MacroPrefixes, Subject, Token } from '../core/subject.ts';
import { parseAddress } from './address.ts';
import {
  createPlainHasher,
  defaultRemembered,
  longestRemembered,
  rememberingHasher,
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

/** An account that was seen, and the latest subject it was part of: what that was made of, where it can be recalled. */
interface SeenAccount {
  readonly token: Token;
  ip: string;
  agent: SeenAgent;
  deviceId: string | undefined;
  confidence: Confidence | undefined;
  /** Null where nothing is to be recalled. */
  subject: Subject | null;
}

/** @throws Fault `CONFIG_INVALID` when a secret has fewer than 16 bytes, or both are the same. */
export function createIdentifier(secrets: Secrets, remembered = defaultRemembered): Identifier {
  const hashOnce = createPlainHasher(secrets);
  const hash = rememberingHasher(hashOnce, remembered);
  const origins = new Recent<Origin>(remembered, longestAddress);
  const agents = new Recent<SeenAgent>(remembered, longestAgent);
  /** Each is mostly asked for from the same place. */
  const accounts = new Recent<SeenAccount>(remembered, longestRemembered);
  const other = hash('agent', otherAgent);
  const missing: SeenAgent = { ua: null, token: other };

  function originOf(ip: string): Origin {
    const found = origins.get(ip);
    if (found !== undefined) return found;
    const origin = hashOrigin(ip);
    origins.set(ip, origin);
    return origin;
  }

  /** Of IPv4 there is hardly more than one spelling, and the origin is remembered; of an IPv6 network there are many. */
  function hashOrigin(ip: string): Origin {
    const { network, macros } = parseAddress(ip);
    if (macros === null) return { network: hashOnce('network', network), macros };
    return {
      network: hash('network', network),
      macros: {
        p48: hash('prefix', macros.p48),
        p40: hash('prefix', macros.p40),
        p32: hash('prefix', macros.p32),
      },
    };
  }

  function agentOf(ua: string | null | undefined): SeenAgent {
    if (ua === undefined || ua === null) return missing;
    const found = agents.get(ua);
    if (found !== undefined) return found;
    const agent = { ua, token: hash('agent', normaliseUserAgent(ua)) };
    agents.set(ua, agent);
    return agent;
  }

  /** Who is not recalled is identified next: the latest is not looked for twice. */
  let latestAccount: string | null = null;
  let latestSeen: SeenAccount | undefined;

  function findAccount(account: string): SeenAccount | undefined {
    if (account !== latestAccount) {
      latestAccount = account;
      latestSeen = accounts.get(account);
    }
    return latestSeen;
  }

  function accountOf(account: string): SeenAccount {
    const found = findAccount(account);
    if (found !== undefined) return found;
    const token = hashOnce('account', account);
    const seen: SeenAccount = {
      token,
      ip: '',
      agent: missing,
      deviceId: undefined,
      confidence: undefined,
      subject: null,
    };
    accounts.set(account, seen);
    if (account.length <= longestRemembered) latestSeen = seen;
    return seen;
  }

  return {
    recall(signals) {
      const account = signals.account ?? null;
      const known = account === null ? undefined : findAccount(account);
      return known !== undefined && isMadeOf(known, signals) ? (known.subject ?? undefined) : undefined;
    },
    identify(signals) {
      const { ip, device } = signals;
      const account = signals.account ?? null;
      const { network, macros } = originOf(ip);
      const agent = agentOf(signals.ua);
      const seen = account === null ? null : accountOf(account);
      const subject: Subject = {
        account: seen?.token ?? null,
        network,
        agent: agent.token,
        otherAgent: other,
        device: device ? { token: hash('device', device.id), confidence: device.confidence } : null,
        macros,
      };
      if (seen !== null) noteLatest(seen, signals, agent, subject);
      return subject;
    },
  };
}

/** Longer texts are not remembered, so that nobody can fill the memory with them. */
function noteLatest(seen: SeenAccount, signals: Signals, agent: SeenAgent, subject: Subject): void {
  seen.subject = null;
  if (!isShort(signals)) return;
  seen.ip = signals.ip;
  seen.agent = agent;
  seen.deviceId = signals.device?.id;
  seen.confidence = signals.device?.confidence;
  seen.subject = subject;
}

/** To compare four short texts takes less time than to look three of them up. */
function isMadeOf(known: SeenAccount, { ip, ua, device }: Signals): boolean {
  return known.ip === ip && known.agent.ua === (ua ?? null) && isSameDevice(known, device ?? null);
}

/** What is no device, or has no id, is not the missing one. */
function isSameDevice({ deviceId, confidence }: SeenAccount, device: Signals['device'] | null): boolean {
  if (device === null || device === undefined) return deviceId === undefined;
  if (deviceId === undefined || typeof device !== 'object' || Array.isArray(device)) return false;
  return device.id === deviceId && device.confidence === confidence;
}

function isShort({ ip, ua, device }: Signals): boolean {
  return (
    ip.length <= longestAddress && (ua?.length ?? 0) <= longestAgent && (device?.id.length ?? 0) <= longestId
  );
}
