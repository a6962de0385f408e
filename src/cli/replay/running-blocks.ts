import { parseAddress } from '../../identity/address.ts';
import type { ReplayReason } from './replay-decision.ts';

const MOST_BLOCKS = 65_536;

/** Whom a block may be of. */
export interface BlockedCaller {
  readonly ip: string;
  readonly user?: string | null | undefined;
}

/** What a block was when it began. */
export type BlockBegun = Pick<ReplayReason, 'level' | 'scope'>;

/**
 * Remembers blocks that were seen to begin, by whom they may be of and by their end: a verdict on a running one tells
 * neither its level nor whether it is one of the whole network. A block is of a user or of a network, of which other addresses may ask.
 */
export class RunningBlocks {
  readonly #begun = new Map<string, BlockBegun>();

  note(caller: BlockedCaller, until: number, { level, scope }: BlockBegun): void {
    if (this.#begun.size >= MOST_BLOCKS) this.#begun.clear();
    for (const key of keysOf(caller, until)) this.#begun.set(key, { level, scope });
  }

  /** Null when its beginning was not seen. */
  find(caller: BlockedCaller, until: number): BlockBegun | null {
    for (const key of keysOf(caller, until)) {
      const begun = this.#begun.get(key);
      if (begun !== undefined) return begun;
    }
    return null;
  }
}

function keysOf({ ip, user }: BlockedCaller, until: number): string[] {
  const network = `network ${parseAddress(ip).network} ${until}`;
  return user == null ? [network] : [`user ${user} ${until}`, network];
}
