import type { StoredRecord } from '../../../core/records.ts';
import type {
  AccountRecord,
  AgentRecord,
  BookRecord,
  DeviceRecord,
  NetworkRecord,
  PrefixRecord,
} from '../../../core/state.ts';
import { countSeen, seenIn, type WatchedWindow } from '../../../core/watch.ts';
import { ofChanges } from './guarantee.ts';

/** How many entries fire the rule of a window. */
const firesAt = { spray: 5, rotation: 4, dilution: 6, churn: 4, flood: 6 } as const;
type WindowName = keyof typeof firesAt;

/** The watched windows of a record. A running flood has no WATCH. */
function windowsOf(kind: string, record: StoredRecord | undefined): [WindowName, WatchedWindow][] {
  if (record === undefined) return [];
  if (kind === 'K4') {
    const { rotation, flood, floodUntil, at } = record as AccountRecord;
    return at < floodUntil
      ? [['rotation', rotation]]
      : [
          ['rotation', rotation],
          ['flood', flood],
        ];
  }
  if (kind === 'K1') return [['spray', (record as NetworkRecord).spray]];
  if (kind === 'K2') return [['churn', (record as AgentRecord).churn]];
  return kind === 'D' ? [['dilution', (record as DeviceRecord).dilution]] : [];
}

export const nobodyHovers = ofChanges(
  'nobody-hovers-at-n-minus-1',
  'A window that reaches one below its threshold a second time, while its flag runs, fires.',
  ({ kind, before, after }) => {
    const old = new Map(windowsOf(kind, before));
    for (const [name, window] of windowsOf(kind, after)) {
      const was = old.get(name);
      const seen = seenIn(window);
      if (was === undefined || seen.length !== firesAt[name] - 1) continue;
      const isAdded = seen.some(
        ({ id, at }) => at === after.at && !seenIn(was).some((other) => other.id === id),
      );
      if (isAdded && after.at < (was.watchUntil ?? 0))
        return `${name} stayed at ${seen.length} although it was watched`;
      if (
        isAdded &&
        !windowsOf(kind, after).some(
          ([same, { watchUntil }]) => same === name && (watchUntil ?? 0) > after.at,
        )
      )
        return `${name} reached ${seen.length} and is not watched`;
    }
    return null;
  },
);

/** What one record may hold at most. */
function sizesOf(kind: string, record: StoredRecord): [what: string, size: number, most: number][] {
  switch (kind) {
    case 'K4': {
      const { devices, devicesMadeAt, rotation, rotations, flood, softs, budget } = record as AccountRecord;
      return [
        ['K5 entries', devices.length, 16],
        ['new K5 entries', devicesMadeAt.length, 10],
        ['failures of a K5 entry', Math.max(0, ...devices.map(({ failures }) => failures.length)), 9],
        ['rotation', countSeen(rotation), 3],
        ['rotations', rotations.length, 3],
        ['flood', countSeen(flood), 16],
        ['softs', softs.length, 3],
        ['budget', budget.failures.length, 20],
      ];
    }
    case 'book':
      return [['book', (record as BookRecord).devices.length, 16]];
    case 'K1': {
      const { spray, devicesSeenAt, agentsSeenAt } = record as NetworkRecord;
      return [
        ['spray', countSeen(spray), 4],
        ['devices seen', devicesSeenAt.length, 50],
        ['agents seen', agentsSeenAt.length, 50],
      ];
    }
    case 'K2':
      return [['churn', countSeen((record as AgentRecord).churn), 3]];
    case 'D':
      return [['dilution', countSeen((record as DeviceRecord).dilution), 5]];
    case 'P48':
    case 'P40':
    case 'P32': {
      const { children, accounts } = record as PrefixRecord;
      return [
        ['children', children.length, 16],
        ['accounts', accounts.length, { P48: 5, P40: 20, P32: 80 }[kind]],
      ];
    }
    default:
      return [];
  }
}

export const recordsAreBounded = ofChanges(
  'records-are-bounded',
  'No window, list or map of a record grows beyond its cap, whoever fills it.',
  ({ kind, after }) => {
    const over = sizesOf(kind, after).find(([, size, most]) => size > most);
    return over === undefined ? null : `${kind} holds ${over[1]} ${over[0]}, ${over[2]} at most`;
  },
);
