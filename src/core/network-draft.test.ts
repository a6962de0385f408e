import { describe, expect, it } from 'vitest';
import { alice } from '../../test/engine/alice.ts';
import type { Context } from './context.ts';
import { MINUTE_MS } from './duration.ts';
import { Keyspace } from './keys.ts';
import { networkBlocks, networkGroupKeys, noteSights, openNetwork, writeNetwork } from './network-draft.ts';
import { defaultLogin } from './policy.ts';
import type { Key, Records, StoredRecord } from './records.ts';
import { openRequest, otherAgentKey } from './request.ts';
import { cleanStanding } from './standing.ts';
import type { NetworkRecord } from './state.ts';

const now = 100 * MINUTE_MS;
const withDevice = openRequest(defaultLogin, new Keyspace('live', 'login'), alice());
const without = openRequest(defaultLogin, new Keyspace('live', 'login'), alice({ device: null }));

const contextOf = (change: Partial<Context> = {}): Context => ({
  t: now,
  known: false,
  trusted: false,
  admitted: true,
  agentKey: withDevice.keys.agent,
  agentRouted: false,
  book: [],
  hard: [],
  soft: [],
  budget: null,
  ...change,
});
const routed = { agentKey: otherAgentKey(withDevice), agentRouted: true };

/** Records by the text of their key. */
function recordsOf(stored = new Map<string, StoredRecord>()) {
  const records: Records = {
    get: <R extends StoredRecord>({ text }: Key<R>) => stored.get(text) as R | undefined,
    put: ({ text }, value) => stored.set(text, structuredClone(value)),
  };
  return { records, stored };
}

/** `K2:{home}:chrome` of a key. */
const nameOf = (text: string) => text.replace('portcullis:live:login:1:', '');

describe('the network group of a request (§3, §6)', () => {
  const k1 = 'K1:{home}';
  const k3 = 'K3:{home}:laptop';
  const chrome = 'K2:{home}:chrome';
  const other = 'K2:{home}:other';

  it.each([
    ['a device that is admitted', withDevice, contextOf(), [k1, chrome, k3]],
    ['one that is not', withDevice, contextOf({ admitted: false }), [k1, chrome]],
    ['an agent over the cap', withDevice, contextOf(routed), [k1, other, k3]],
    ['both', withDevice, contextOf({ ...routed, admitted: false }), [k1, other]],
    ['no device', without, contextOf({ admitted: false, agentKey: without.keys.agent }), [k1, chrome]],
    ['no device, agent over the cap', without, contextOf({ ...routed, admitted: false }), [k1, other]],
  ])('of %s names the records that are opened and written', (_, request, context, expected) => {
    const { records, stored } = recordsOf();
    expect(networkGroupKeys(request, context).map(({ text }) => nameOf(text))).toEqual(expected);
    writeNetwork(records, openNetwork(records, request, context), request, now);
    expect([...stored.keys()].map(nameOf)).toEqual(expected);
    expect([...stored.values()].map(({ at }) => at)).toEqual(expected.map(() => now));
  });
});

describe('networkBlocks', () => {
  /** The scopes whose running HARD stops the request. */
  function blockedBy(kinds: readonly ('K1' | 'K2' | 'K3')[], change: Partial<Context> = {}, until = now + 1) {
    const context = contextOf(change);
    const draft = openNetwork(recordsOf().records, withDevice, context);
    const holders = { K1: draft.network.holder, K2: draft.agent.holder, K3: draft.device?.holder };
    for (const kind of kinds) {
      const holder = holders[kind];
      if (holder) holder.standing = { ...cleanStanding, hardLevel: 2, hardUntil: until };
    }
    const reasons = networkBlocks(draft, withDevice, context);
    for (const reason of reasons) {
      expect(reason).toMatchObject({ rule: 'blocked', outcome: 'HARD_BLOCK', level: 2, until });
    }
    return reasons.map(({ scope }) => scope);
  }

  it('are the running HARD blocks of K1, K2 and K3, each on its own', () => {
    expect(blockedBy([])).toEqual([]);
    expect(blockedBy(['K1'])).toEqual(['K1']);
    expect(blockedBy(['K2'])).toEqual(['K2']);
    expect(blockedBy(['K3'])).toEqual(['K3']);
    expect(blockedBy(['K1', 'K2', 'K3'])).toEqual(['K1', 'K2', 'K3']);
    expect(blockedBy(['K1', 'K2', 'K3'], {}, now)).toEqual([]);
  });

  it('of a device that is not admitted are those of K1 and K2', () => {
    expect(blockedBy(['K1', 'K2'], { admitted: false })).toEqual(['K1', 'K2']);
    expect(blockedBy([], { admitted: false })).toEqual([]);
  });

  it('are those that stop whom the request comes from (§4)', () => {
    expect(blockedBy(['K1', 'K2', 'K3'], { known: true })).toEqual(['K2', 'K3']);
    expect(blockedBy(['K1', 'K2', 'K3'], { known: true, trusted: true })).toEqual(['K3']);
  });
});

describe('noteSights (§6)', () => {
  /** First sights after a request at a network that had some, and records of the agent and the device or not. */
  function sights(context: Context, before: Partial<NetworkRecord> = {}, isSeen = false) {
    const { records } = recordsOf();
    if (isSeen) writeNetwork(records, openNetwork(records, withDevice, context), withDevice, now);
    const draft = openNetwork(records, withDevice, context);
    Object.assign(draft.network.holder, before);
    noteSights(draft, context, defaultLogin);
    return [draft.network.holder.devicesSeenAt, draft.network.holder.agentsSeenAt];
  }

  it('are of a device and an agent whose records are made now', () => {
    expect(sights(contextOf())).toEqual([[now], [now]]);
    expect(sights(contextOf(), {}, true)).toEqual([[], []]);
  });

  it('are none of a device that is not admitted, nor of an agent that is routed', () => {
    expect(sights(contextOf({ admitted: false }))).toEqual([[], [now]]);
    expect(sights(contextOf(routed))).toEqual([[now], []]);
    expect(sights(contextOf(routed), {}, true)).toEqual([[], []]);
  });

  it('are kept for 15 minutes, no more than the newest 50', () => {
    const old = now - 15 * MINUTE_MS;
    const times = [old, old + 1, now - 1];
    expect(sights(contextOf(), { devicesSeenAt: times, agentsSeenAt: times })).toEqual([
      [old + 1, now - 1, now],
      [old + 1, now - 1, now],
    ]);
    const many = Array.from({ length: 60 }, (_, index) => now - 60 + index);
    expect(sights(contextOf(), { devicesSeenAt: many, agentsSeenAt: many })).toEqual([
      [...many.slice(-49), now],
      [...many.slice(-49), now],
    ]);
  });
});
