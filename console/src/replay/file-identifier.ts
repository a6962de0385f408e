import type { MacroPrefixes, Subject, Token } from '../../../src/core/subject.ts';
import { parseAddress } from '../../../src/identity/address.ts';
import type { Identifier } from '../../../src/identity/identifier.ts';
import { Recent } from '../../../src/identity/recent.ts';
import { normaliseUserAgent, otherAgent } from '../../../src/identity/user-agent.ts';
import { sha256 } from './sha256.ts';

/** As many components of each kind as a large file shows again and again; the rest is hashed anew. */
const REMEMBERED = 65_536;
const LONGEST_REMEMBERED = 512;

interface Origin {
  readonly network: Token;
  readonly macros: MacroPrefixes | null;
}

/**
 * Turns the signals of a file into subjects. The same subjects meet in the same keys as on the service, but the keys
 * are made without its secret and mean nothing outside of this run.
 */
export function createFileIdentifier(): Identifier {
  const tokens = new Recent<Token>(REMEMBERED, LONGEST_REMEMBERED);
  const origins = new Recent<Origin>(REMEMBERED, LONGEST_REMEMBERED);
  const agents = new Recent<Token>(REMEMBERED, LONGEST_REMEMBERED);

  const tokenOf = (kind: string, value: string): Token => {
    const text = `${kind}\0${value}`;
    const found = tokens.get(text);
    if (found !== undefined) return found;
    const token: Token = { hash: shortText(sha256(text)), was: null };
    tokens.set(text, token);
    return token;
  };
  const other = tokenOf('agent', otherAgent);

  const originOf = (ip: string): Origin => {
    const found = origins.get(ip);
    if (found !== undefined) return found;
    const { network, macros } = parseAddress(ip);
    const origin: Origin = {
      network: tokenOf('network', network),
      macros: macros && {
        p48: tokenOf('prefix', macros.p48),
        p40: tokenOf('prefix', macros.p40),
        p32: tokenOf('prefix', macros.p32),
      },
    };
    origins.set(ip, origin);
    return origin;
  };

  const agentOf = (ua: string | null | undefined): Token => {
    if (ua === undefined || ua === null) return other;
    const found = agents.get(ua);
    if (found !== undefined) return found;
    const agent = tokenOf('agent', normaliseUserAgent(ua));
    agents.set(ua, agent);
    return agent;
  };

  return {
    identify({ account, ip, ua, device }): Subject {
      const { network, macros } = originOf(ip);
      return {
        account: account === undefined || account === null ? null : tokenOf('account', account),
        network,
        agent: agentOf(ua),
        otherAgent: other,
        device: device ? { token: tokenOf('device', device.id), confidence: device.confidence } : null,
        macros,
      };
    },
  };
}

/** 128 bits as text: no two subjects of a file meet by chance. */
function shortText(words: Int32Array): string {
  let text = '';
  for (let index = 0; index < 4; index += 1)
    text += ((words[index] ?? 0) >>> 0).toString(36).padStart(7, '0');
  return text;
}
