import { stops } from './acquaintance.ts';
import { type Context, hardReason } from './context.ts';
import { type Opened, open, type RecordKind, storeDraft, write } from './draft.ts';
import { answer, noReasons, type Step, silence } from './operation.ts';
import type { CredentialPolicy, PrefixPolicy, PrefixThreshold } from './policy.ts';
import { networkKind, p40Kind, p48Kind } from './record-kinds.ts';
import type { Draft, Key, Records } from './records.ts';
import { remoteBlockStep } from './remote-effect.ts';
import type { Request } from './request.ts';
import { isHardBlocked } from './standing.ts';
import type { PrefixRecord } from './state.ts';
import type { MacroPrefixes, Token } from './subject.ts';
import { observe, trim, type Window } from './window.ts';

/** One macro prefix of a request, and how its children are blocked. */
interface Macro {
  readonly name: 'P48' | 'P40' | 'P32';
  readonly key: Key<PrefixRecord>;
  /** A P32 is never blocked; its record is of the same kind as the others. */
  readonly kind: RecordKind<PrefixRecord>;
  /** The request's own child. */
  readonly child: Token;
  readonly threshold: PrefixThreshold;
  blockChild(child: Token, own: boolean): Step;
}

/**
 * §9 prefix: a login spray that hops over IPv6 prefixes. Detection works at the macro prefix, blocks fall on the
 * children that took part. Gives a step per macro prefix whose own block does not stop the request, and while a key rotation
 * runs one for those too, which only keeps names.
 */
export function prefixSteps(
  macros: MacroPrefixes,
  account: Token,
  request: Request<CredentialPolicy>,
  context: Context,
  prefixes: PrefixPolicy,
): Step[] {
  const isBlocked = ({ name }: Macro) => context.hard.some(({ scope }) => scope === name);
  return macrosOf(macros, request, context.t, prefixes)
    .filter((macro) => macro.child.was !== null || !isBlocked(macro))
    .map((macro) =>
      isBlocked(macro)
        ? renameStep(macro, request, context)
        : observeStep(macro, account, request, context, prefixes),
    );
}

function macrosOf(
  { p48, p40, p32 }: MacroPrefixes,
  { keyspace, subject, policy }: Request<CredentialPolicy>,
  t: number,
  { p48: at48, p40: at40, p32: at32 }: PrefixPolicy,
): Macro[] {
  const rule = 'prefix';
  return [
    {
      name: 'P48',
      key: keyspace.macro('P48', p48),
      kind: p48Kind,
      child: subject.network,
      threshold: at48,
      blockChild: (child, own) =>
        remoteBlockStep({ rule, kind: networkKind, key: keyspace.network(child), own }, t, policy),
    },
    {
      name: 'P40',
      key: keyspace.macro('P40', p40),
      kind: p40Kind,
      child: p48,
      threshold: at40,
      blockChild: (child, own) =>
        remoteBlockStep({ rule, kind: p48Kind, key: keyspace.macro('P48', child), own }, t, policy),
    },
    {
      name: 'P32',
      key: keyspace.macro('P32', p32),
      kind: p40Kind,
      child: p40,
      threshold: at32,
      blockChild: (child, own) =>
        remoteBlockStep({ rule, kind: p40Kind, key: keyspace.macro('P40', child), own }, t, policy),
    },
  ];
}

function observeStep(
  macro: Macro,
  account: Token,
  { policy }: Request<CredentialPolicy>,
  context: Context,
  { windowMs, childCapacity }: PrefixPolicy,
): Step {
  const { key, kind, child, threshold } = macro;
  const { t } = context;
  const { recordMs } = policy.retention;
  return {
    keys: [key],
    run: (records) => {
      const opened = open(records, key, kind, t, recordMs);
      const { holder: record, now } = opened;
      if (isHardBlocked(record.standing, now) && stops(kind.scope, context, policy.ownerLane)) {
        storeRenamed(records, opened, child, t, recordMs);
        return answer([hardReason(kind.scope, record.standing)]);
      }
      const children = trim(observeChild(record.children, child, now, windowMs), childCapacity);
      const accounts = trim(observe(record.accounts, account, now, windowMs), threshold.accounts);
      const fired = children.length >= threshold.children && accounts.length >= threshold.accounts;
      record.children = fired ? [] : children;
      record.accounts = fired ? [] : accounts;
      write(records, opened, t, recordMs);
      return fired ? { reasons: noReasons, effects: blockChildren(macro, children) } : silence;
    },
  };
}

/**
 * A prefix that is blocked observes nothing. It still has to call its child by the new name as soon as that shows: the child's
 * own record moves with this request, and a block that fell on the record of before would stop nobody.
 */
function renameStep({ key, kind, child }: Macro, { policy }: Request, { t }: Context): Step {
  const { recordMs } = policy.retention;
  return {
    keys: [key],
    run: (records) => {
      storeRenamed(records, open(records, key, kind, t, recordMs), child, t, recordMs);
      return silence;
    },
  };
}

/** Stores the record as it was, its time included, if it knew the child by its former name only. */
function storeRenamed(
  records: Records,
  opened: Opened<PrefixRecord>,
  child: Token,
  t: number,
  keepMs: number,
): void {
  const { holder: record } = opened;
  if (!renameChild(record.children, child)) return;
  storeDraft(records, { ...opened, now: record.at }, record.standing, t, keepMs);
}

/**
 * A child has both of its hashes in the window while a key rotation runs, `<hash>.<hash before>`: its record may still lie
 * under the one of before, and whoever blocks it later knows it by this name only.
 */
function nameOf({ hash, was }: Token): string {
  return was === null ? hash : `${hash}.${was}`;
}

function childNamed(name: string): Token {
  const [hash = '', was = null] = name.split('.');
  return { hash, was };
}

function isChild(name: string, { hash, was }: Token): boolean {
  return beginsWith(name, hash) || (was !== null && beginsWith(name, was));
}

const beginsWith = (name: string, hash: string): boolean =>
  name.startsWith(hash) && (name.length === hash.length || name[hash.length] === '.');

function observeChild(children: Draft<Window>, child: Token, now: number, windowMs: number): Draft<Window> {
  renameChild(children, child);
  return observe(children, { hash: nameOf(child), was: null }, now, windowMs);
}

/** Whether the window had the child by another name. */
function renameChild(children: Draft<Window>, child: Token): boolean {
  const name = nameOf(child);
  const former = children.find(({ id }) => id !== name && isChild(id, child));
  if (former !== undefined) former.id = name;
  return former !== undefined;
}

function blockChildren({ child, blockChild }: Macro, children: Window): Step[] {
  return children.map(({ id }) =>
    isChild(id, child) ? blockChild(child, true) : blockChild(childNamed(id), false),
  );
}
