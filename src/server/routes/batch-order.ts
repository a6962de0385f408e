import { parseAddress } from '../../identity/address.ts';
import { addressOf } from '../../identity/address-ranges.ts';
import type { EventSignals } from './decisions.ts';

/**
 * Which items of a batch have to wait for each other. Two that share an account, a device or a network (for IPv6 its
 * widest prefix) touch the same records, so they run in their order; the others may run at the same time, and the
 * decisions are those of one after the other.
 *
 * @returns indexes, each chain in order; chains in the order of their first item
 */
export function chainsOf(items: readonly Pick<EventSignals, 'account' | 'ip' | 'device'>[]): number[][] {
  const parents = items.map((_, index) => index);
  const firsts = new Map<string, number>();
  const rootOf = (index: number): number => {
    let at = index;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at] as number] as number;
      at = parents[at] as number;
    }
    return at;
  };
  items.forEach((item, index) => {
    for (const name of namesOf(item)) {
      const first = firsts.get(name);
      if (first === undefined) firsts.set(name, index);
      else joinRoots(parents, rootOf(first), rootOf(index));
    }
  });
  const chains = new Map<number, number[]>();
  items.forEach((_, index) => {
    const root = rootOf(index);
    const chain = chains.get(root);
    if (chain === undefined) chains.set(root, [index]);
    else chain.push(index);
  });
  return [...chains.values()];
}

/** The earlier root stays one, so that chains keep the order of their first items. */
function joinRoots(parents: number[], a: number, b: number): void {
  if (a < b) parents[b] = a;
  else parents[a] = b;
}

function* namesOf({
  account,
  ip,
  device,
}: Pick<EventSignals, 'account' | 'ip' | 'device'>): Generator<string> {
  yield `ip ${networkOf(ip)}`;
  if (account) yield `account ${account}`;
  if (device) yield `device ${device.id}`;
}

/** IPv4 as it is; of IPv6 the /32, which holds every prefix that is counted. What is no address is refused later on. */
function networkOf(ip: string): string {
  if (addressOf(ip) === null) return 'none';
  const { network, macros } = parseAddress(ip);
  return macros?.p32 ?? network;
}
