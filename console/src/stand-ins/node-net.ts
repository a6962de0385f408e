type Family = 'ipv4' | 'ipv6';

interface Range {
  readonly family: Family;
  readonly bits: bigint;
  /** Bits behind the prefix. */
  readonly behind: bigint;
}

/** As much of Node's `BlockList` as ranges of addresses need. Addresses come in their canonical form. */
export class BlockList {
  readonly #ranges: Range[] = [];

  addSubnet(address: string, prefix: number, family: Family): void {
    const behind = BigInt((family === 'ipv4' ? 32 : 128) - prefix);
    this.#ranges.push({ family, bits: bitsOf(address, family) >> behind, behind });
  }

  check(address: string, family: Family): boolean {
    if (address === '') return false;
    const bits = bitsOf(address, family);
    // An IPv4 address is in a range of IPv6 where its mapped form is.
    const wide = family === 'ipv4' ? (0xffffn << 32n) | bits : bits;
    return this.#ranges.some((range) => {
      if (range.family === 'ipv4') return family === 'ipv4' && bits >> range.behind === range.bits;
      return wide >> range.behind === range.bits;
    });
  }
}

function bitsOf(address: string, family: Family): bigint {
  if (family === 'ipv4') return joined(address.split('.').map(Number), 8n);
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return joined([...before, ...zeros, ...after], 16n);
}

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));

const joined = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
