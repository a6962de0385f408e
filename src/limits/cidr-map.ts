import { rangeOf } from './cidr-set.ts';

interface Entry<Value> {
  /** Its place among all. */
  readonly order: number;
  readonly value: Value;
}

/** Every address has as many bits as one of IPv6; an IPv4 address is the `::ffff:0:0/96` one that carries it. */
const addressBits = 128;
const mappedBits = 0xffffn << 32n;

/**
 * Values by ranges of addresses, compared as in a `CidrSet`. Of several ranges that hold an address the one that was added first counts.
 * To find it takes a look for each length of prefix that there is, however many ranges there are.
 */
export class CidrMap<Value> {
  /** By the length of their prefix, then by the bits of it. */
  readonly #ranges = new Map<number, Map<bigint, Entry<Value>>>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /**
   * @param name of the setting, for the message
   * @throws Fault `CONFIG_INVALID` when it is not a range.
   */
  add(name: string, cidr: string, value: Value): void {
    const { address, prefix, family } = rangeOf(name, cidr);
    const length = family === 'ipv4' ? addressBits - 32 + prefix : prefix;
    const ranges = this.#ranges.get(length) ?? new Map<bigint, Entry<Value>>();
    const bits = prefixOf(bitsOf(address), length);
    if (!ranges.has(bits)) ranges.set(bits, { order: this.#size, value });
    this.#ranges.set(length, ranges);
    this.#size += 1;
  }

  /** @param address as `parseAddress` gives its text */
  find(address: string): Value | undefined {
    const bits = bitsOf(address);
    let first: Entry<Value> | undefined;
    for (const [length, ranges] of this.#ranges) {
      const found = ranges.get(prefixOf(bits, length));
      if (found !== undefined && (first === undefined || found.order < first.order)) first = found;
    }
    return first?.value;
  }
}

const prefixOf = (bits: bigint, length: number): bigint => bits >> BigInt(addressBits - length);

function bitsOf(address: string): bigint {
  if (!address.includes(':')) {
    return mappedBits | BigInt(address.split('.').reduce((quad, octet) => quad * 256 + Number(octet), 0));
  }
  const [before = [], after = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return BigInt(`0x${[...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('')}`);
}
