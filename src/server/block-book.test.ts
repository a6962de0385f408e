import { describe, expect, it } from 'vitest';
import { AuditTrail } from '../guard/audit-trail.ts';
import type { ActiveBlock } from '../guard/block-steps.ts';
import type { ClientBlock } from '../limits/index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { BlockBook } from './block-book.ts';
import { listBlocks } from './block-listing.ts';

const lift = async () => false;
const until = Number.MAX_SAFE_INTEGER;

/** So many of a policy that nobody comes to the end of them, and two of the gateway. */
function crowdedBook(hasWalked: (count: number) => void): BlockBook {
  const ofPolicy = async function* (): AsyncGenerator<ActiveBlock> {
    for (let index = 1; ; index += 1) {
      hasWalked(index);
      yield {
        id: `login:K4:${index}`,
        policy: 'login',
        scope: 'K4',
        outcome: 'HARD_BLOCK',
        level: 2,
        until,
      };
    }
  };
  const ofGateway = async function* (): AsyncGenerator<ClientBlock> {
    for (const name of ['a', 'b']) yield { id: `limits.default:U:${name}`, scope: 'U', level: 2, until };
  };
  const audit = new AuditTrail(createMemoryStore(), 'default', () => {});
  return new BlockBook({ blocks: ofPolicy, lift }, { blocks: ofGateway, lift }, audit);
}

describe('a book of blocks', () => {
  it('shows those of the gateway also where the time is up before all of the policies are seen', async () => {
    let isOver = () => {};
    const over = new Promise<void>((resolve) => {
      isOver = resolve;
    });
    const book = crowdedBook((count) => {
      if (count === 2_000) isOver();
    });
    const { blocks, whole } = await listBlocks(book, 100, over);
    expect(whole).toBe(false);
    expect(blocks).toHaveLength(100);
    expect(blocks.filter(({ policy }) => policy === 'limits.default')).toEqual([
      {
        id: 'limits.default:U:a',
        policy: 'limits.default',
        scope: 'U',
        outcome: 'HARD_BLOCK',
        level: 2,
        until,
      },
      {
        id: 'limits.default:U:b',
        policy: 'limits.default',
        scope: 'U',
        outcome: 'HARD_BLOCK',
        level: 2,
        until,
      },
    ]);
  });
});
