import { Fault, shapeOf } from '../core/fault.ts';
import { parseAddress } from './address.ts';

interface Entry<Value> {
  /** Its place among all. */
  readonly order: number;
  readonly value: Value;
}

const addressBits = 128;
const quadBits = 32;
/** Every address is compared as one of IPv6; an IPv4 address is the `::ffff:0:0/96` one that carries it. */
const mappedBits = 0xffffn << 32n;

/**
 * Ranges of addresses, each with a value. An IPv6 address that carries an IPv4 address is in a range when that one is. To
 * find an address takes a look for each length of prefix that there is, however many ranges there are.
 */
export class AddressRanges<Value = true> {
  /** By how many bits stand behind their prefix, then by the bits of the prefix. */
  readonly #ranges = new Map<bigint, Map<bigint, Entry<Value>>>();
  readonly #universal: string[] = [];
  #size = 0;

  /**
   * Ranges of which only matters whether an address is in one of them.
   *
   * @param name of the setting, for the message
   * @param cidrs `10.0.0.0/8`, `2001:db8::/32`, or one address
   * @throws Fault `CONFIG_INVALID` when one of them is not a range.
   */
  static of(name: string, cidrs: readonly string[]): AddressRanges {
    const ranges = new AddressRanges();
    cidrs.forEach((cidr, index) => {
      ranges.add(`${name}[${index}]`, cidr, true);
    });
    return ranges;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Those that hold every address of their kind, or so much of them that nobody can mean their own. */
  get universal(): readonly string[] {
    return this.#universal;
  }

  /**
   * @param name of the setting, for the message
   * @throws Fault `CONFIG_INVALID` when it is not a range.
   */
  add(name: string, cidr: string, value: Value): void {
    const { address, hostBits, isHuge } = rangeOf(name, cidr);
    const ranges = this.#ranges.get(hostBits) ?? new Map<bigint, Entry<Value>>();
    const prefix = bitsOf(address) >> hostBits;
    if (!ranges.has(prefix)) ranges.set(prefix, { order: this.#size, value });
    this.#ranges.set(hostBits, ranges);
    this.#size += 1;
    if (isHuge) this.#universal.push(cidr);
  }

  /**
   * The value of the range that holds the address; of several, of the one that was added first.
   *
   * @param address as {@link parseAddress} gives its text
   */
  find(address: string): Value | undefined {
    if (this.#size === 0) return undefined;
    const bits = bitsOf(address);
    let first: Entry<Value> | undefined;
    for (const [hostBits, ranges] of this.#ranges) {
      const found = ranges.get(bits >> hostBits);
      if (found !== undefined && (first === undefined || found.order < first.order)) first = found;
    }
    return first?.value;
  }

  /** Whether the address, as {@link parseAddress} gives its text, is in one of the ranges. */
  has(address: string): boolean {
    return this.find(address) !== undefined;
  }

  /**
   * Whether a peer of a socket, or a hop that a proxy names, is in one of the ranges. An address of 6to4 or NAT64 is not
   * there with the IPv4 address it carries: that one has not spoken, and whoever is on the link may take such an address.
   */
  hasPeer(peer: string): boolean {
    const address = this.#size === 0 ? null : addressOf(peer);
    return address !== null && !isTranslated(peer, address) && this.has(address);
  }
}

function bitsOf(address: string): bigint {
  if (!address.includes(':')) {
    return mappedBits | BigInt(address.split('.').reduce((quad, octet) => quad * 256 + Number(octet), 0));
  }
  const [before = [], after = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return BigInt(`0x${[...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('')}`);
}

/** A network of one's own has no shorter prefix: 10.0.0.0/8 and fc00::/7 are the largest that are nobody else's. */
const leastPrefix = { quad: 8, other: 7 } as const;

interface Range {
  readonly address: string;
  readonly hostBits: bigint;
  readonly isHuge: boolean;
}

/** What a range names: all addresses that differ from this one in so many bits at the end. */
function rangeOf(name: string, cidr: string): Range {
  const [text, length, ...rest] = typeof cidr === 'string' ? cidr.split('/') : [];
  const address = rest.length === 0 ? addressOf(text) : null;
  if (address === null) throw notARange(name, cidr);
  const isQuad = !address.includes(':');
  // `::ffff:10.0.0.0/104` names IPv4 addresses, which are compared as such.
  if (isQuad && text?.includes(':')) throw notARange(name, cidr);
  const bits = isQuad ? quadBits : addressBits;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) throw notARange(name, cidr);
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) throw notARange(name, cidr);
  const isHuge = prefix < (isQuad ? leastPrefix.quad : leastPrefix.other);
  return { address, hostBits: BigInt(bits - prefix), isHuge };
}

function notARange(name: string, value: unknown): Fault {
  return new Fault(
    'CONFIG_INVALID',
    `${name} must be an address or a CIDR like 10.0.0.0/8, got ${shapeOf(value)}`,
  );
}

/** Whether the text is an IPv6 address that stands for this IPv4 one by translation, not by being the same (`::ffff:`). */
export function isTranslated(text: string, address: string): boolean {
  return text.includes(':') && !address.includes(':') && !mapped.test(text);
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
