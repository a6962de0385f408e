import type { Decision } from '../../core/decision.ts';
import type { Policy } from '../../core/policy.ts';
import type { Key, Records, StoredRecord } from '../../core/records.ts';
import type { Request } from '../../core/request.ts';
import type { Token } from '../../core/subject.ts';
import { type Call, Engine, type OperationName } from '../../guard/engine.ts';
import { runImmediately } from '../../guard/run.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { parseAddress } from '../../identity/address.ts';
import type { Identifier } from '../../identity/identifier.ts';
import { normaliseUserAgent, otherAgent } from '../../identity/user-agent.ts';
import type { ImmediateStore } from '../../stores/store.ts';

/** All records at one moment. Never changed: a search goes on from it in many ways. */
export type RecordMap = ReadonlyMap<string, StoredRecord>;

export const noRecords: RecordMap = new Map();

/** How an operation is run; tests hand in ones that are broken on purpose. */
export type RunOperation = (store: ImmediateStore, call: Call, t: number) => Decision;

/** One operation, with the records before and after it. */
export interface Operated {
  readonly op: OperationName;
  readonly call: Call;
  readonly t: number;
  readonly decision: Decision;
  readonly before: RecordMap;
  readonly after: RecordMap;
}

export interface ProofEngineOptions {
  readonly policies: readonly Policy[];
  readonly run?: RunOperation | undefined;
}

/** The engine under proof: runs operations on records that are handed in, and gives the records they leave. */
export class ProofEngine {
  readonly policies: readonly Policy[];
  readonly #engine: Engine;
  readonly #run: RunOperation;
  #operations = 0;

  constructor({ policies, run = runPlainly }: ProofEngineOptions) {
    this.policies = policies;
    this.#run = run;
    this.#engine = new Engine({ identifier: plainIdentifier(), policies, environment: 'prove' });
  }

  /** How many operations have been run. */
  get operations(): number {
    return this.#operations;
  }

  perform(before: RecordMap, op: OperationName, request: GuardRequest, t: number, cost = 1): Operated {
    this.#operations += 1;
    const call = this.#engine.prepare(op, request, cost);
    const store = new BranchingStore(before);
    const decision = this.#run(store, call, t);
    return { op, call, t, decision, before, after: store.records };
  }

  /** A request before its policy. */
  request(request: GuardRequest): Request {
    return this.#engine.open(request);
  }

  /** The operation once more on the records it saw. */
  again({ call, t, before }: Operated): Pick<Operated, 'decision' | 'after'> {
    const store = new BranchingStore(before);
    const decision = this.#run(store, call, t);
    return { decision, after: store.records };
  }
}

const runPlainly: RunOperation = (store, call, t) => runImmediately(store, call.operation, t);

/** Shows given records and copies them at the first write. */
class BranchingStore implements ImmediateStore {
  #records: RecordMap;
  #own: Map<string, StoredRecord> | null = null;
  readonly #access: Records = {
    get: <R extends StoredRecord>(key: Key<R>): R | undefined => this.#records.get(key.text) as R | undefined,
    put: <R extends StoredRecord>(key: Key<R>, value: R): void => {
      this.#own ??= new Map(this.#records);
      this.#own.set(key.text, value);
      this.#records = this.#own;
    },
  };

  constructor(records: RecordMap) {
    this.#records = records;
  }

  get records(): RecordMap {
    return this.#records;
  }

  view<T>(_: readonly Key[], look: (records: Records, now: number) => T): T {
    return look(this.#access, 0);
  }

  transact<T>(_: readonly Key[], step: (records: Records, now: number) => T): T {
    return step(this.#access, 0);
  }
}

/**
 * Names subjects by themselves instead of by hashes: no decision depends on what a hash looks like, and a proof that
 * can be read needs no secret.
 */
function plainIdentifier(): Identifier {
  const tokens = new Map<string, Token>();
  const tokenOf = (name: string): Token => {
    const found = tokens.get(name);
    if (found !== undefined) return found;
    const token: Token = { hash: name, was: null };
    tokens.set(name, token);
    return token;
  };
  const origins = new Map<string, ReturnType<typeof parseAddress>>();
  const originOf = (ip: string) => {
    const found = origins.get(ip) ?? parseAddress(ip);
    origins.set(ip, found);
    return found;
  };
  const agents = new Map<string, Token>();
  const agentOf = (ua: string) => {
    const found = agents.get(ua) ?? tokenOf(`agent ${normaliseUserAgent(ua)}`);
    agents.set(ua, found);
    return found;
  };
  const other = tokenOf(`agent ${otherAgent}`);
  return {
    identify({ account, ip, ua, device }) {
      const { network, macros } = originOf(ip);
      return {
        account: account === undefined || account === null ? null : tokenOf(account),
        network: tokenOf(network),
        agent: ua === undefined || ua === null ? other : agentOf(ua),
        otherAgent: other,
        device: device ? { token: tokenOf(device.id), confidence: device.confidence } : null,
        macros: macros && { p48: tokenOf(macros.p48), p40: tokenOf(macros.p40), p32: tokenOf(macros.p32) },
      };
    },
  };
}
