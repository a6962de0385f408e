import { numbersOf } from './account.ts';
import {
  Calls,
  durationMs,
  escalate,
  hardRuns,
  type Reason,
  raise,
  type Scope,
  setHard,
} from './penalties.ts';
import { freshNet, minute, type NetRecord, timeIn } from './records.ts';
import { agentsFull, netKey, type Request, type Shelves } from './request.ts';
import { clear, firesOn, keepFreshest, observe, reaches } from './windows.ts';

/** The network, device and prefix groups of contract sections 4.2, 8 and 9. */

/** A record of this request that its group is about to write, with the time inside it. */
export interface Turn {
  readonly key: string;
  readonly record: NetRecord;
  readonly now: number;
  readonly isNew: boolean;
}

export function turnOf(key: string, request: Request, shelves: Shelves): Turn {
  const found = shelves.nets.find(key, request.t);
  return { key, record: found ?? freshNet(), now: timeIn(found, request.t), isNew: found === undefined };
}

export function failNetwork(request: Request, shelves: Shelves): Reason[] {
  const k1 = turnOf(request.keys.k1, request, shelves);
  const k2 = turnOf(request.keys.k2, request, shelves);
  const calls = new Calls();
  if (request.policy === 'login') spray(request, k1, calls);
  scoreMissing(request, k2, calls);
  churn(request, k2, calls);
  noteSights(request, k1, k2, shelves);
  const reasons = calls.settle();
  shelves.nets.write(k1.key, k1.record, request.t);
  shelves.nets.write(k2.key, k2.record, request.t);
  return reasons;
}

function spray(request: Request, { record, now }: Turn, calls: Calls): void {
  const added = observe(record.window, request.account ?? '', now, 10 * minute);
  if (added && record.window.entries.length >= 2) {
    raise(record, now, 5, 3 * minute);
    if (record.score >= 5) calls.soft({ penalty: record, now, rule: 'score', scope: 'K1', level: 1 });
  }
  if (!reaches(record.window, added, now, 5)) return;
  clear(record.window);
  calls.hard({ penalty: record, now, rule: 'spray', scope: 'K1', level: escalate(record, now, 2, 3) });
}

function scoreMissing(request: Request, { record, now }: Turn, calls: Calls): void {
  if (request.device !== undefined) return;
  const { soft, hard, escalating } = numbersOf(request);
  const call = { penalty: record, now, rule: 'score', scope: 'K2' as const };
  raise(record, now, request.policy === 'otp' ? 6 : 4, 3 * minute);
  if (record.score >= escalating) calls.hard({ ...call, level: escalate(record, now, 3, 6) });
  else if (record.score >= hard) calls.hard({ ...call, level: 2 });
  else if (record.score >= soft) calls.soft({ ...call, level: 1 });
}

function churn(request: Request, { record, now }: Turn, calls: Calls): void {
  if (request.device === undefined) return;
  if (!firesOn(record.window, request.device.id, now, 4, 10 * minute)) return;
  calls.hard({ penalty: record, now, rule: 'churn', scope: 'K2', level: escalate(record, now, 2, 6) });
}

/** Makes or refreshes the K3 marker and notes first sights of the agent and the device. */
export function noteSights(request: Request, k1: Turn, k2: Turn, shelves: Shelves): Turn | undefined {
  if (k2.isNew && !agentsFull(k1.record, k1.now)) k1.record.newAgents.push(k1.now);
  if (request.keys.k3 === undefined || !request.admitted) return undefined;
  const k3 = turnOf(request.keys.k3, request, shelves);
  if (k3.isNew) k1.record.newDevices.push(k1.now);
  shelves.nets.write(k3.key, k3.record, request.t);
  return k3;
}

/** A block on a key of another group, applied at once; the reason if the key is the request's own. */
function remoteHard(
  request: Request,
  shelves: Shelves,
  effect: { key: string; scope: Scope; rule: string; highest: number },
): Reason[] {
  const { record, now } = turnOf(effect.key, request, shelves);
  if (hardRuns(record, now)) return [];
  const level = escalate(record, now, 2, effect.highest);
  setHard(record, now, level);
  shelves.nets.write(effect.key, record, request.t);
  const until = now + durationMs(level);
  return [{ rule: effect.rule, scope: effect.scope, outcome: 'HARD_BLOCK', level, until }];
}

export function failDevice(request: Request, shelves: Shelves): Reason[] {
  if (request.keys.d === undefined || !request.admitted) return [];
  const { key, record, now } = turnOf(request.keys.d, request, shelves);
  const calls = new Calls();
  const fires = firesOn(record.window, request.prefixes.k1, now, 6, 10 * minute);
  const low = request.device?.confidence === 'LOW';
  if (fires && !low) confirmDilution(record, now, calls);
  const reasons = calls.settle();
  shelves.nets.write(key, record, request.t);
  if (!fires || !low) return reasons;
  return remoteHard(request, shelves, { key: request.keys.k2, scope: 'K2', rule: 'dilution', highest: 6 });
}

function confirmDilution(record: NetRecord, now: number, calls: Calls): void {
  const first = record.firstDilution;
  if (first === undefined || now >= first + 20 * minute) record.firstDilution = now;
  else if (now >= first + 10 * minute) {
    record.firstDilution = undefined;
    calls.hard({ penalty: record, now, rule: 'dilution', scope: 'D', level: escalate(record, now, 2, 6) });
  }
}

/** One of P48, P40, P32: what it watches and which keys it blocks. */
export interface PrefixRule {
  readonly key: string | undefined;
  readonly child: string | undefined;
  readonly childScope: 'K1' | 'P48' | 'P40';
  readonly children: number;
  readonly accounts: number;
}

export function prefixRules({ keys, prefixes }: Request): readonly PrefixRule[] {
  return [
    { key: keys.p48, child: prefixes.k1, childScope: 'K1', children: 2, accounts: 5 },
    { key: keys.p40, child: prefixes.p48, childScope: 'P48', children: 4, accounts: 20 },
    { key: keys.p32, child: prefixes.p40, childScope: 'P40', children: 8, accounts: 80 },
  ];
}

export function failPrefix(request: Request, rule: PrefixRule, shelves: Shelves): Reason[] {
  if (rule.key === undefined || rule.child === undefined) return [];
  const { record, now } = turnOf(rule.key, request, shelves);
  observe(record.window, rule.child, now, 10 * minute);
  keepFreshest(record.window, 16);
  observe(record.accounts, request.account ?? '', now, 10 * minute);
  keepFreshest(record.accounts, rule.accounts);
  const children = record.window.entries.map((entry) => entry.id);
  const fires = children.length >= rule.children && record.accounts.entries.length >= rule.accounts;
  if (fires) {
    clear(record.window);
    clear(record.accounts);
  }
  shelves.nets.write(rule.key, record, request.t);
  if (!fires) return [];
  return children.flatMap((child) => {
    const key = netKey(request.policy, rule.childScope, child);
    const reasons = remoteHard(request, shelves, { key, scope: rule.childScope, rule: 'prefix', highest: 3 });
    return child === rule.child ? reasons : [];
  });
}
