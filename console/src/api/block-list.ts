import type { RunningBlock } from '../../../src/server/block-book.ts';
import { isObject, numberOf, textOf } from '../feed/feed-line.ts';

/** A block of a key: how hard, and until when by the store's clock. */
export interface HeldBlock {
  readonly outcome: RunningBlock['outcome'];
  readonly level: number;
  readonly until: number;
}

/** A key with its blocks. An id names a key: a lift ends all of them. */
export interface BlockedKey {
  readonly id: string;
  readonly policy: string;
  readonly scope: string;
  /** At least one; as the service orders them, so that the highest is first. */
  readonly blocks: readonly HeldBlock[];
}

/** The blocks that run, as the service lists them. */
export interface BlockList {
  /** The store's time; null where the service does not tell. */
  readonly at: number | null;
  /** Highest level first. */
  readonly keys: readonly BlockedKey[];
  /** Whether there are others, of no higher level. */
  readonly isMore: boolean;
  /** Whether the service has looked at all blocks: if not, there may be higher ones too. */
  readonly isWhole: boolean;
}

export function readBlockList(answer: unknown): BlockList {
  const { at, blocks, more, whole } = isObject(answer) ? answer : {};
  const byId = new Map<string, BlockedKey>();
  for (const { id, policy, scope, outcome, level, until } of Array.isArray(blocks)
    ? blocks.filter(isBlock)
    : []) {
    const before = byId.get(id)?.blocks ?? [];
    byId.set(id, { id, policy, scope, blocks: [...before, { outcome, level, until }] });
  }
  const keys = [...byId.values()];
  return { at: numberOf(at) || null, keys, isMore: more === true, isWhole: whole !== false };
}

/** The keys whose blocks still run, with those alone that do. */
export function stillBlocked(keys: readonly BlockedKey[], now: number): readonly BlockedKey[] {
  return keys.flatMap((key) => {
    const blocks = key.blocks.filter(({ until }) => until > now);
    return blocks.length === 0 ? [] : [blocks.length === key.blocks.length ? key : { ...key, blocks }];
  });
}

/** What a lift of this key ends: `hard block and soft block`. */
export const blockWords = ({ blocks }: BlockedKey): string =>
  blocks.map(({ outcome }) => (outcome === 'HARD_BLOCK' ? 'hard block' : 'soft block')).join(' and ');

const isBlock = (value: unknown): value is RunningBlock =>
  isObject(value) &&
  textOf(value.id) !== null &&
  textOf(value.policy) !== null &&
  textOf(value.scope) !== null &&
  typeof value.until === 'number' &&
  typeof value.level === 'number';
