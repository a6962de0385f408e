import { BlockList } from 'node:net';
import { Fault, shapeOf } from '../core/fault.ts';
import { parseAddress } from '../identity/address.ts';

/** Ranges of addresses. An IPv6 address that carries an IPv4 address is in a range when that one is. */
export class CidrSet {
  readonly isEmpty: boolean;
  /** Ranges that hold every address of their kind. */
  readonly universal: readonly string[];
  readonly #ranges = new BlockList();

  /**
   * @param name of the setting, for the message
   * @param cidrs `10.0.0.0/8`, `2001:db8::/32`, or one address
   * @throws Fault `CONFIG_INVALID` when one of them is not a range.
   */
  constructor(name: string, cidrs: readonly string[]) {
    this.isEmpty = cidrs.length === 0;
    this.universal = cidrs.filter((cidr) => /\/0+$/.test(cidr));
    cidrs.forEach((cidr, index) => {
      const { address, prefix, family } = rangeOf(`${name}[${index}]`, cidr);
      this.#ranges.addSubnet(address, prefix, family);
    });
  }

  /** Whether the address, as {@link parseAddress} gives its text, is in one of the ranges. */
  has(address: string): boolean {
    return !this.isEmpty && this.#ranges.check(address, familyOf(address));
  }

  /**
   * Whether a peer of a socket, or a hop that a proxy names, is in one of the ranges. An address of 6to4 or NAT64 is not
   * there with the IPv4 address it carries: that one has not spoken, and whoever is on the link may take such an address.
   */
  hasPeer(peer: string): boolean {
    const address = this.isEmpty ? null : addressOf(peer);
    return address !== null && !isTranslated(peer, address) && this.has(address);
  }
}

/** What a range names. */
export interface Range {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** @throws Fault `CONFIG_INVALID` when it is not a range. */
export function rangeOf(name: string, cidr: string): Range {
  const [text, length, ...rest] = typeof cidr === 'string' ? cidr.split('/') : [];
  const address = rest.length === 0 ? addressOf(text) : null;
  if (address === null) throw notARange(name, cidr);
  const family = familyOf(address);
  // `::ffff:10.0.0.0/104` names IPv4 addresses, which are compared as such.
  if (family === 'ipv4' && text?.includes(':')) throw notARange(name, cidr);
  const most = family === 'ipv4' ? 32 : 128;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) throw notARange(name, cidr);
  const prefix = length === undefined ? most : Number(length);
  if (prefix > most) throw notARange(name, cidr);
  return { address, prefix, family };
}

function notARange(name: string, value: unknown): Fault {
  return new Fault(
    'CONFIG_INVALID',
    `${name} must be an address or a CIDR like 10.0.0.0/8, got ${shapeOf(value)}`,
  );
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Whether the text is an IPv6 address that stands for this IPv4 one by translation, not by being the same (`::ffff:`). */
export function isTranslated(text: string, address: string): boolean {
  return text.includes(':') && familyOf(address) === 'ipv4' && !mapped.test(text);
}

const mapped = /^(::|(0{1,4}:){5})ffff:/i;

/** The canonical text of an address, or null when it is none. */
export function addressOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  try {
    return parseAddress(text).text;
  } catch (error) {
    if (error instanceof Fault && error.code === 'INPUT_INVALID') return null;
    throw error;
  }
}
