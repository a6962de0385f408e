import { MAX_TIME_MS } from '../../abuse/log-formats/calendar.ts';
import { assertWhole } from '../../core/amounts.ts';
import { type Mode, type Outcome, rules, scopes } from '../../core/decision.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import type { Confidence } from '../../core/subject.ts';
import { type OperationName, operationNames } from '../../guard/engine.ts';
import { decisionLogBegin, decisionLogVersion } from '../../telemetry/decision-log/log-line.ts';
import { type Fields, parseObject } from './json-object.ts';

/** A decision as it was taken. */
export interface TakenDecision {
  readonly outcome: Outcome;
  readonly level: number;
  readonly until: number;
  readonly rule: string | null;
  readonly scope: string | null;
  readonly deferred: boolean;
  readonly mode: Mode;
}

/** The hashes that a line names its subject by; null where there is none. */
export interface LoggedHashes {
  readonly account: string | null;
  readonly network: string;
  /** /48, /40 and /32 of an IPv6 address. */
  readonly prefixes: readonly [string, string, string] | null;
  readonly agent: string;
  readonly otherAgent: string;
  readonly device: string | null;
  readonly confidence: Confidence | null;
}

/** A line of a decision log: a decided operation. */
export interface LoggedLine {
  readonly kind: 'logged';
  readonly t: number;
  readonly op: OperationName;
  readonly action: string;
  readonly cost: number;
  readonly hashes: LoggedHashes;
  readonly taken: TakenDecision;
  /** The names by which a summary tells of it: pseudonyms. */
  readonly account: string | null;
  readonly ip: string;
}

/** A line that stands where others are missing. */
export interface MissingLines {
  readonly kind: 'missing';
  readonly dropped: number;
}

const outcomes: readonly Outcome[] = ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK'];
const modes: readonly Mode[] = ['NORMAL', 'FAIL_CLOSED', 'FAIL_OPEN', 'DEGRADED'];
const confidences: readonly Confidence[] = ['LOW', 'MEDIUM', 'HIGH'];
const MAX_LEVEL = 6;
const hashForm = /^[\w-]{22}$/;
const hashWords = 'a hash of 22 characters';

/** Whether a line is one of a decision log, of any version. */
export const isLogged = (line: string): boolean => line.startsWith(decisionLogBegin);

/** Reads a line of a decision log. Unknown fields are ignored. Throws `INPUT_INVALID` that names the field. */
export function parseLoggedLine(line: string): LoggedLine | MissingLines {
  const fields = parseObject(line, 'a line of a decision log');
  if (fields.v !== decisionLogVersion) refuseVersion(fields.v);
  const t = integerIn(fields, 't', 0, MAX_TIME_MS);
  if (fields.dropped !== undefined) {
    return { kind: 'missing', dropped: integerIn(fields, 'dropped', 1, Number.MAX_SAFE_INTEGER) };
  }
  const { action } = fields;
  if (typeof action !== 'string') refuse('action', 'a string', action);
  const cost = fields.cost === undefined ? 1 : integerIn(fields, 'cost', 1, Number.MAX_SAFE_INTEGER);
  const hashes = hashesOf(fields);
  const { account, network: ip } = hashes;
  const op = oneOf(fields, 'op', operationNames);
  return { kind: 'logged', t, op, action, cost, hashes, taken: takenOf(fields), account, ip };
}

function refuse(field: string, expected: string, value: unknown): never {
  throw new Fault('INPUT_INVALID', `${field} must be ${expected}, got ${shapeOf(value)}`);
}

function refuseVersion(version: unknown): never {
  const isOurs = typeof version === 'string' && /^portcullis\.decision\/\d{1,9}$/.test(version);
  const got = isOurs ? `"${version}", which this version does not read` : shapeOf(version);
  throw new Fault('INPUT_INVALID', `v must be "${decisionLogVersion}", got ${got}`);
}

function integerIn(fields: Fields, field: string, least: number, most: number): number {
  const value = fields[field];
  assertWhole('INPUT_INVALID', field, value, least, most);
  return value;
}

function oneOf<W extends string>(fields: Fields, field: string, words: readonly W[]): W {
  const found = words.find((word) => word === fields[field]);
  return found ?? refuse(field, `one of ${words.join(', ')}`, fields[field]);
}

function hashIn(fields: Fields, field: string): string {
  const value = fields[field];
  return typeof value === 'string' && hashForm.test(value) ? value : refuse(field, hashWords, value);
}

function hashesOf(fields: Fields): LoggedHashes {
  const hasDevice = fields.device !== undefined;
  if (!hasDevice && fields.confidence !== undefined) refuse('device', hashWords, fields.device);
  return {
    account: fields.account === undefined ? null : hashIn(fields, 'account'),
    network: hashIn(fields, 'network'),
    prefixes: fields.prefixes === undefined ? null : prefixesOf(fields.prefixes),
    agent: hashIn(fields, 'agent'),
    otherAgent: hashIn(fields, 'otherAgent'),
    device: hasDevice ? hashIn(fields, 'device') : null,
    confidence: hasDevice ? oneOf(fields, 'confidence', confidences) : null,
  };
}

function prefixesOf(value: unknown): readonly [string, string, string] {
  if (!Array.isArray(value) || value.length !== 3) return refuse('prefixes', 'a list of three hashes', value);
  const [p48, p40, p32] = [0, 1, 2].map((at) =>
    hashIn({ [`prefixes[${at}]`]: value[at] }, `prefixes[${at}]`),
  );
  return [p48 ?? '', p40 ?? '', p32 ?? ''];
}

function takenOf(fields: Fields): TakenDecision {
  const outcome = oneOf(fields, 'outcome', outcomes);
  const mode = oneOf(fields, 'mode', modes);
  const { deferred = false } = fields;
  if (typeof deferred !== 'boolean') return refuse('deferred', 'a boolean', deferred);
  if (outcome === 'ALLOW') return { outcome, level: 0, until: 0, rule: null, scope: null, deferred, mode };
  return {
    outcome,
    level: integerIn(fields, 'level', 1, MAX_LEVEL),
    until: integerIn(fields, 'until', 0, 2 * MAX_TIME_MS),
    rule: oneOf(fields, 'rule', rules),
    scope: oneOf(fields, 'scope', scopes),
    deferred,
    mode,
  };
}
