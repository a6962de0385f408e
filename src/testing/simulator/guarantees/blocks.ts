import type { Reason, Scope } from '../../../core/decision.ts';
import { MINUTE_MS } from '../../../core/duration.ts';
import type { StoredRecord } from '../../../core/records.ts';
import type { Holder, Standing } from '../../../core/standing.ts';
import type { AccountDevice, AccountRecord } from '../../../core/state.ts';
import { expectationOf } from './block-oracle.ts';
import { type Guarantee, ofChanges } from './guarantee.ts';

const ADVISORY_LEVEL = 3;
const API_LEVEL = 4;

type Blockable = StoredRecord & Holder;

const textOf = ({ scope, level, until }: Reason) => `${scope} L${level} until ${until}`;

/** Also says: routing an agent never erases a block, and the owner lane spares a trusted device. */
export const blocksStopWhomTheyShould: Guarantee = {
  name: 'a-running-block-stops-whom-it-should-and-nobody-else',
  says: 'A HARD block that runs refuses everyone it is meant for; routing does not erase it; nobody else is refused.',
  watch: (around, violate) => {
    const expected = new Map<number, readonly Reason[]>();
    return {
      viewed: (operation) => {
        expected.set(operation.id, expectationOf(around, operation).blocks);
      },
      decided: ({ id, op, decision }) => {
        const blocks = expected.get(id);
        expected.delete(id);
        if (decision?.mode !== 'NORMAL' || blocks === undefined) return;
        const shown = decision.reasons.filter(
          ({ rule, outcome }) => rule === 'blocked' && outcome === 'HARD_BLOCK',
        );
        const missing = blocks.filter((block) => !shown.some((reason) => textOf(reason) === textOf(block)));
        if (missing.length > 0) violate(`${op} passed a running block: ${missing.map(textOf).join(', ')}`);
        const more = shown.filter((reason) => !blocks.some((block) => textOf(block) === textOf(reason)));
        if (op === 'check' && more.length > 0) violate(`check was stopped by ${more.map(textOf).join(', ')}`);
      },
    };
  },
};

/** A block may come between the look and the step of a success; it is then one of the account. */
export const trustedDeviceKeepsItsLane: Guarantee = {
  name: 'a-trusted-device-answers-only-for-itself',
  says: 'With the owner lane, no block on K4, K2, K1, P48 or P40 stops a trusted device at check or succeed.',
  watch: (around, violate) => {
    const trusted = new Set<number>();
    return {
      viewed: (operation) => {
        trusted.delete(operation.id);
        if (expectationOf(around, operation).trusted) trusted.add(operation.id);
      },
      decided: ({ id, op, decision }) => {
        if (!trusted.delete(id) || op === 'fail' || decision?.mode !== 'NORMAL') return;
        const other = decision.reasons.find(
          ({ outcome, scope }) => outcome === 'HARD_BLOCK' && !['K5', 'K3', 'D'].includes(scope),
        );
        if (other !== undefined) violate(`${op} of a trusted device was stopped by ${textOf(other)}`);
      },
    };
  },
};

const isBlockable = (record: StoredRecord | undefined): record is Blockable =>
  record !== undefined && 'standing' in record;

const devicesOf = (record: StoredRecord): readonly AccountDevice[] =>
  'devices' in record && 'budget' in record ? (record as AccountRecord).devices : [];

function isExtended(before: Standing, after: Standing, now: number): boolean {
  return (
    now < before.hardUntil && (after.hardUntil !== before.hardUntil || after.hardLevel !== before.hardLevel)
  );
}

export const blocksAreNotExtended = ofChanges(
  'a-block-is-never-extended-while-it-runs',
  'What arrives while a HARD block runs neither lengthens nor raises it.',
  ({ kind, before, after }) => {
    if (!isBlockable(before) || !isBlockable(after)) return null;
    if (isExtended(before.standing, after.standing, after.at))
      return `the block on ${kind} was changed while it ran`;
    for (const device of devicesOf(before)) {
      const same = devicesOf(after).find(({ id }) => id === device.id);
      if (same === undefined && after.at < device.standing.hardUntil)
        return 'a K5 entry was dropped while its block ran';
      if (same !== undefined && isExtended(device.standing, same.standing, after.at))
        return 'the block on K5 was changed while it ran';
    }
    return null;
  },
);

export const advisoryStaysLow = ofChanges(
  'ip-only-never-above-level-3',
  'A block that rests on an IP prefix alone goes to level 3 at most and never lasts longer than 5 min.',
  ({ kind, after }) => {
    if (!['K1', 'P48', 'P40'].includes(kind) || !isBlockable(after)) return null;
    const { hardLevel, hardUntil } = after.standing;
    if (hardLevel > ADVISORY_LEVEL) return `${kind} reached level ${hardLevel}`;
    return hardUntil - after.at > 5 * MINUTE_MS ? `${kind} is blocked for longer than 5 min` : null;
  },
);

export const apiStaysLow = ofChanges(
  'api-never-above-level-4',
  'No block of policy api goes above level 4.',
  ({ policy, after }) =>
    policy === 'api' && isBlockable(after) && after.standing.hardLevel > API_LEVEL
      ? `api reached level ${after.standing.hardLevel}`
      : null,
);

/** The network group of a request that one of its own blocks stops is closed, too; its account group likewise. */
export const blockedGroupsWriteNothing: Guarantee = {
  name: 'a-blocked-group-writes-nothing',
  says: 'A failure that a HARD block of a group stops changes nothing in that group.',
  watch: (around, violate) => {
    const blocked = new Map<number, readonly Scope[]>();
    return {
      viewed: (operation) => {
        const { blocks } = expectationOf(around, operation);
        blocked.set(
          operation.id,
          blocks.map(({ scope }) => scope),
        );
      },
      committed: ({ id, keys }, changes) => {
        const found = blocked.get(id) ?? [];
        for (const { text, kind } of changes) {
          const isAccount =
            text === keys.account?.text && found.some((scope) => scope === 'K4' || scope === 'K5');
          const isNetwork =
            ['K1', 'K2', 'K3'].includes(kind) && found.some((scope) => ['K1', 'K2', 'K3'].includes(scope));
          if (isAccount || isNetwork) violate(`${kind} was written although ${found.join(', ')} was blocked`);
        }
      },
      decided: ({ id }) => {
        blocked.delete(id);
      },
    };
  },
};
