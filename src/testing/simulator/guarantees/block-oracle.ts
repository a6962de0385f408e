import type { Reason, Scope } from '../../../core/decision.ts';
import { MINUTE_MS } from '../../../core/duration.ts';
import type { StoredRecord } from '../../../core/records.ts';
import type { Holder } from '../../../core/standing.ts';
import type { AccountRecord, BookRecord, NetworkRecord } from '../../../core/state.ts';
import type { OperationTrace } from '../operation-trace.ts';
import type { Surroundings } from './guarantee.ts';

/** Who is to be stopped, read off the server's records without asking the engine. */
export interface Expectation {
  readonly known: boolean;
  readonly trusted: boolean;
  /** The HARD blocks that stop the operation. */
  readonly blocks: readonly Reason[];
}

/** The contract's own numbers, written down a second time on purpose: a changed policy must not change what is held. */
const ADMITTED_AGENTS = 50;
const ADMISSION_MS = 15 * MINUTE_MS;

/** Several guarantees ask for the same view of the same operation. */
const asked = new WeakMap<OperationTrace, { readonly messages: number; readonly expectation: Expectation }>();

/** To be called when the server shows the operation its records; the last time counts. */
export function expectationOf(around: Surroundings, operation: OperationTrace): Expectation {
  const messages = operation.messages.length;
  const found = asked.get(operation);
  if (found?.messages === messages) return found.expectation;
  const expectation = expect(around, operation, operation.t ?? 0);
  asked.set(operation, { messages, expectation });
  return expectation;
}

function expect(around: Surroundings, operation: OperationTrace, t: number): Expectation {
  const { keys, subject } = operation;
  const read = <R extends StoredRecord>(key: { readonly text: string; readonly record?: R } | null) => {
    const record = key === null ? undefined : (around.read(key.text) as R | undefined);
    return record !== undefined && t < record.at + around.recordMs ? record : undefined;
  };
  const acquaintance = acquaintanceOf(around, operation);
  const account = read(keys.account);
  const network = read(keys.network);
  const blocks: Reason[] = [];
  const note = (scope: Scope, holder: Holder | undefined, at: number | undefined) => {
    if (holder === undefined || !isStopped(scope, acquaintance)) return;
    const { hardUntil: until, hardLevel: level } = holder.standing;
    if (Math.max(t, at ?? t) < until)
      blocks.push({ rule: 'blocked', scope, outcome: 'HARD_BLOCK', level, until });
  };
  note('K4', account, account?.at);
  note('K5', deviceIn(account, subject.device?.token.hash), account?.at);
  const agentKey = isRouted(read(keys.agent), network, t) ? operation.otherAgentKey : keys.agent;
  for (const [scope, key] of [
    ['K3', keys.networkDevice],
    ['D', keys.device],
    ['K2', agentKey],
    ['K1', keys.network],
    ['P48', keys.p48],
    ['P40', keys.p40],
  ] as const) {
    const record = read<StoredRecord & Holder>(key);
    note(scope, record, record?.at);
  }
  return { ...acquaintance, blocks };
}

/** How well the account knows the device, by its book. */
function acquaintanceOf(around: Surroundings, { keys, subject }: OperationTrace) {
  const book = keys.book && (around.read(keys.book.text) as BookRecord | undefined);
  const { device } = subject;
  const entry =
    device && device.confidence !== 'LOW' && book?.devices.find(({ id }) => id === device.token.hash);
  if (!entry) return { known: false, trusted: false };
  return { known: true, trusted: entry.bound && device.confidence === 'HIGH' };
}

/** Whether a block on this kind of key stops who is known so well. */
function isStopped(scope: Scope, { known, trusted }: { known: boolean; trusted: boolean }): boolean {
  if (scope === 'K5' || scope === 'K3' || scope === 'D') return true;
  return scope === 'K4' || scope === 'K2' ? !trusted : !known;
}

function deviceIn(account: AccountRecord | undefined, hash: string | undefined) {
  return hash === undefined ? undefined : account?.devices.find(({ id }) => id === hash);
}

/** An agent that the network has not shown yet, when it has shown too many, is judged as another. */
function isRouted(agent: StoredRecord | undefined, network: NetworkRecord | undefined, t: number): boolean {
  if (agent !== undefined || network === undefined) return false;
  const from = Math.max(t, network.at) - ADMISSION_MS;
  return network.agentsSeenAt.filter((at) => at > from).length >= ADMITTED_AGENTS;
}
