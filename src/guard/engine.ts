import { check, recheck } from '../core/check.ts';
import { consume } from '../core/consume.ts';
import { fail } from '../core/fail.ts';
import { Fault, shapeOf } from '../core/fault.ts';
import { Keyspace, limiterNamespace } from '../core/keys.ts';
import { assertName } from '../core/names.ts';
import type { Operation } from '../core/operation.ts';
import type { Policy } from '../core/policy.ts';
import type { Key } from '../core/records.ts';
import { openRequest, type Request } from '../core/request.ts';
import type { BookRecord } from '../core/state.ts';
import type { Subject, Token } from '../core/subject.ts';
import { succeed } from '../core/succeed.ts';
import type { Identifier } from '../identity/identifier.ts';
import { policyProblem } from './policy-shape.ts';
import {
  assertAccount,
  assertCost,
  assertFields,
  assertRequest,
  assertSignals,
  type GuardRequest,
} from './signals.ts';

export const operationNames = ['check', 'fail', 'succeed', 'consume'] as const;
export type OperationName = (typeof operationNames)[number];

/** An operation that is ready to run on a store. */
export class Call {
  readonly op: OperationName;
  readonly action: string;
  readonly policy: Policy;
  readonly request: Request;
  readonly operation: Operation;

  constructor(op: OperationName, action: string, request: Request, operation: Operation) {
    this.op = op;
    this.action = action;
    this.policy = request.policy;
    this.request = request;
    this.operation = operation;
  }
}

export interface EngineOptions {
  readonly identifier: Identifier;
  readonly policies: readonly Policy[];
  /** Part of every key, so that environments can share a store. */
  readonly environment: string;
  /** Whether fields that a request does not have are refused. Default false: they are ignored, as those of events are. */
  readonly refusesUnknownFields?: boolean | undefined;
}

interface BoundPolicy {
  readonly policy: Policy;
  readonly keyspace: Keyspace;
}

/** A policy and whom one of its requests is about. */
export interface Located extends BoundPolicy {
  readonly subject: Subject;
}

/** A device in the book of an account, which all policies share. */
export interface LocatedDevice {
  readonly account: Token;
  readonly device: Token;
  readonly book: Key<BookRecord>;
  /** How long a book is kept after its last write. */
  readonly bookMs: number;
}

/** An address for what has to do with none. */
const anywhere = '0.0.0.0';

/** Turns requests into operations: finds the policy, checks the signals, makes the keys. Keeps no state of its own. */
export class Engine {
  readonly policies: readonly Policy[];
  readonly #identifier: Identifier;
  readonly #byAction = new Map<string, BoundPolicy>();
  readonly #keyspaces = new Map<string, Keyspace>();
  readonly #refusesUnknownFields: boolean;
  /** What the latest action was bound to: nearly all requests of a host are about the same. */
  #latestAction: string | null = null;
  #latestBound: BoundPolicy | null = null;

  constructor({ identifier, policies, environment, refusesUnknownFields = false }: EngineOptions) {
    assertName('environment', environment);
    this.policies = policies;
    this.#identifier = identifier;
    this.#refusesUnknownFields = refusesUnknownFields;
    policies.forEach((policy, index) => {
      assertPolicy(`policies[${index}]`, policy);
      this.#bind(policy, new Keyspace(environment, policy.name));
    });
  }

  #bind(policy: Policy, keyspace: Keyspace): void {
    if (policy.name.startsWith(limiterNamespace)) {
      throw new Fault(
        'CONFIG_INVALID',
        `the policy name "${policy.name}" begins with "${limiterNamespace}", as the records of limiters do`,
      );
    }
    if (this.#keyspaces.has(policy.name)) {
      throw new Fault('CONFIG_INVALID', `two policies have the name "${policy.name}"`);
    }
    this.#keyspaces.set(policy.name, keyspace);
    for (const action of policy.actions) {
      if (this.#byAction.has(action)) {
        throw new Fault('CONFIG_INVALID', `two policies are bound to the action "${action}"`);
      }
      this.#byAction.set(action, { policy, keyspace });
    }
  }

  /** The names of the policy's records. */
  keyspaceOf(policy: string): Keyspace | undefined {
    return this.#keyspaces.get(policy);
  }

  /** A checked request before its policy. Throws `INPUT_INVALID` where a field does not fit. */
  open(input: GuardRequest): Request {
    const { policy, keyspace } = this.#boundTo(input);
    if (this.#refusesUnknownFields) assertFields(input);
    // The same signals were checked when they came first.
    const known = this.#identifier.recall?.(input);
    if (known !== undefined) return openRequest(policy, keyspace, known);
    assertSignals(input);
    assertAccount(input, policy);
    return openRequest(policy, keyspace, this.#identifier.identify(input));
  }

  /** Whom a checked request is about. Without an account it has fewer keys; that is for the caller to find out. */
  locate(input: GuardRequest): Located {
    const { policy, keyspace } = this.#boundTo(input);
    if (this.#refusesUnknownFields) assertFields(input);
    assertSignals(input);
    return { policy, keyspace, subject: this.#identifier.identify(input) };
  }

  /** A device of an account, wherever it is. Throws `INPUT_INVALID` where one of the ids does not fit. */
  locateDevice(account: string, id: string): LocatedDevice {
    const signals = { account, ip: anywhere, device: { id, confidence: 'LOW' } } as const;
    assertSignals(signals);
    const subject = this.#identifier.identify(signals);
    const [keyspace] = this.#keyspaces.values();
    if (subject.account === null || subject.device === null || keyspace === undefined) {
      throw new Fault('INPUT_INVALID', `account must be a string that is not empty, got ${shapeOf(account)}`);
    }
    const bookMs = Math.max(...this.policies.map(({ retention }) => retention.bookMs));
    const { token } = subject.device;
    return { account: subject.account, device: token, book: keyspace.book(subject.account), bookMs };
  }

  /** An operation on a checked request. Throws `OPERATION_UNKNOWN` where the policy does not have it. */
  prepare(op: OperationName, input: GuardRequest, cost = 1): Call {
    return callOn(this.open(input), op, input.action, cost);
  }

  /** A check in its turn, once credentials were right and more is asked for. Writes nothing. */
  prepareRecheck(input: GuardRequest): Call {
    const request = this.open(input);
    return new Call('check', input.action, request, recheck(request));
  }

  /** The same on a request of this engine that was opened before: nothing of it is checked or looked for again. */
  prepareAgain(request: Request, op: OperationName, action: string, cost = 1): Call {
    return callOn(request, op, action, cost);
  }

  /** The same on a subject that was hashed before, so that what was decided can be decided again without its identifiers. */
  prepareFor(subject: Subject, op: OperationName, action: string, cost = 1): Call {
    const { policy, keyspace } = this.#boundToAction(action);
    if (policy.kind === 'credential' && subject.account === null) {
      throw new Fault(
        'INPUT_INVALID',
        `account must be there: the policy "${policy.name}" is about accounts`,
      );
    }
    return callOn(openRequest(policy, keyspace, subject), op, action, cost);
  }

  /** The actions that credentials are looked at for. */
  get attempted(): readonly string[] {
    return this.policies.filter(isAboutCredentials).flatMap(({ actions }) => actions);
  }

  /** Before credentials are looked at. Throws `OPERATION_UNKNOWN` where nobody could be told how they were. */
  assertAttempted(input: GuardRequest): void {
    const { policy } = this.#boundTo(input);
    if (!isAboutCredentials(policy)) throw hasNo('fail', policy);
  }

  #boundTo(input: GuardRequest): BoundPolicy {
    assertRequest(input);
    return this.#boundToAction(input.action);
  }

  #boundToAction(action: string): BoundPolicy {
    if (this.#latestBound !== null && action === this.#latestAction) return this.#latestBound;
    const bound = this.#byAction.get(action);
    if (bound !== undefined) {
      this.#latestAction = action;
      this.#latestBound = bound;
      return bound;
    }
    const known = [...this.#byAction.keys()].join(', ');
    throw new Fault(
      'INPUT_INVALID',
      `action must be one a policy is bound to (${known}), got ${shapeOf(action)}`,
    );
  }
}

/** What is asked of a policy before its rules: its numbers are for whoever reads it from a file to check. */
function assertPolicy(place: string, policy: Policy): void {
  const problem = policyProblem(place, policy);
  if (problem !== null) throw new Fault('CONFIG_INVALID', problem);
}

function callOn(request: Request, op: OperationName, action: string, cost: number): Call {
  const { policy } = request;
  assertCost(cost, policy);
  return new Call(op, action, request, operationOf(op, request, cost));
}

function operationOf(op: OperationName, request: Request, cost: number): Operation {
  if (op === 'check') return check(request);
  if (op === 'consume' && isRate(request)) return consume(request, cost);
  if (op === 'fail' && isCredential(request)) return fail(request);
  if (op === 'succeed' && isCredential(request)) return succeed(request);
  throw hasNo(op, request.policy);
}

function hasNo(op: OperationName, { name }: Policy): Fault {
  return new Fault('OPERATION_UNKNOWN', `the policy "${name}" has no operation "${op}"`);
}

const isAboutCredentials = ({ kind }: Policy): boolean => kind === 'credential';

export function isCredential(request: Request): request is Request<Extract<Policy, { kind: 'credential' }>> {
  return request.policy.kind === 'credential';
}

export function isRate(request: Request): request is Request<Extract<Policy, { kind: 'rate' }>> {
  return request.policy.kind === 'rate';
}
