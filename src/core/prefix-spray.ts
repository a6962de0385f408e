import { stops } from './acquaintance.ts';
import { type Context, hardReason } from './context.ts';
import { open } from './draft.ts';
import type { Keyspace } from './keys.ts';
import { emptyNetwork } from './network-draft.ts';
import type { Step } from './operation.ts';
import type { CredentialPolicy, PrefixPolicy, PrefixThreshold } from './policy.ts';
import type { Key } from './records.ts';
import { remoteBlockStep } from './remote-effect.ts';
import type { Request } from './request.ts';
import { write } from './retention.ts';
import { cleanStanding, isHardBlocked } from './standing.ts';
import type { PrefixRecord } from './state.ts';
import type { MacroPrefixes, Token } from './subject.ts';
import { isToken, observe, trim, type Window } from './window.ts';

export const emptyPrefix: PrefixRecord = { at: 0, ...cleanStanding, children: [], accounts: [] };

/** One macro prefix and how its children are blocked. */
interface Macro {
  readonly key: Key<PrefixRecord>;
  /** Whether the prefix itself can be blocked, and as what. P32 cannot. */
  readonly scope: 'P48' | 'P40' | null;
  /** The request's own child. */
  readonly child: Token;
  readonly threshold: PrefixThreshold;
  blockChild(child: Token, own: boolean): Step;
}

/**
 * §9 prefix: a login spray that hops over IPv6 prefixes. Detection works at the macro prefix, blocks fall on the
 * children that took part. Gives a step per macro prefix that is not itself among `blocked`.
 */
export function prefixSteps(
  macros: MacroPrefixes,
  account: Token,
  request: Request<CredentialPolicy>,
  context: Context,
  prefixes: PrefixPolicy,
): Step[] {
  return macrosOf(macros, request, context, prefixes)
    .filter(({ scope }) => !context.hard.some((reason) => reason.scope === scope))
    .map((macro) => observeStep(macro, account, request, context, prefixes));
}

function macrosOf(
  { p48, p40, p32 }: MacroPrefixes,
  { keyspace, subject, policy }: Request<CredentialPolicy>,
  { t }: Context,
  prefixes: PrefixPolicy,
): Macro[] {
  const blockNetwork = (child: Token, own: boolean) =>
    remoteBlockStep(
      { rule: 'prefix', scope: 'K1', key: keyspace.network(child), empty: emptyNetwork, own },
      t,
      policy,
    );
  const blockMacro = (scope: 'P48' | 'P40') => (child: Token, own: boolean) =>
    remoteBlockStep(
      { rule: 'prefix', scope, key: macroKey(keyspace, scope, child), empty: emptyPrefix, own },
      t,
      policy,
    );
  return [
    {
      key: macroKey(keyspace, 'P48', p48),
      scope: 'P48',
      child: subject.network,
      threshold: prefixes.p48,
      blockChild: blockNetwork,
    },
    {
      key: macroKey(keyspace, 'P40', p40),
      scope: 'P40',
      child: p48,
      threshold: prefixes.p40,
      blockChild: blockMacro('P48'),
    },
    {
      key: macroKey(keyspace, 'P32', p32),
      scope: null,
      child: p40,
      threshold: prefixes.p32,
      blockChild: blockMacro('P40'),
    },
  ];
}

const macroKey = (keyspace: Keyspace, kind: 'P48' | 'P40' | 'P32', token: Token) =>
  keyspace.macro(kind, token);

function observeStep(
  macro: Macro,
  account: Token,
  { policy }: Request<CredentialPolicy>,
  context: Context,
  { windowMs, childCapacity }: PrefixPolicy,
): Step {
  const { key, scope, child, threshold } = macro;
  const { t } = context;
  const { recordMs } = policy.retention;
  return {
    keys: [key],
    run: (records) => {
      const { record, judged } = open(records, key, scope ?? 'P40', emptyPrefix, t, recordMs);
      if (scope !== null && isHardBlocked(record, judged.now) && stops(scope, context, policy.ownerLane)) {
        return { reasons: [hardReason(scope, record)], effects: [] };
      }
      const children = trim(observe(record.children, child, judged.now, windowMs).window, childCapacity);
      const accounts = trim(
        observe(record.accounts, account, judged.now, windowMs).window,
        threshold.accounts,
      );
      const fired = children.length >= threshold.children && accounts.length >= threshold.accounts;
      record.children = fired ? [] : children;
      record.accounts = fired ? [] : accounts;
      write(records, key, record, t, recordMs);
      return { reasons: [], effects: fired ? blockChildren(macro, children) : [] };
    },
  };
}

/** A child is named by the hash it was seen under; the request's own by its token, which a rotation may have renewed. */
function blockChildren({ child, blockChild }: Macro, children: Window): Step[] {
  return children.map(({ id }) =>
    isToken(id, child) ? blockChild(child, true) : blockChild({ hash: id, was: null }, false),
  );
}
