import { findAccountDevice } from './account-devices.ts';
import { type AccountDraft, beginChange, openAccount, writeAccount } from './account-draft.ts';
import { accountBlocks } from './account-failure.ts';
import { enterBook } from './book.ts';
import { type Context, lookAround } from './context.ts';
import { conclude } from './decision.ts';
import { noteSoft } from './equilibrium.ts';
import { observeFlood } from './flood.ts';
import { answer, noSteps, type Operation, type Step, silence } from './operation.ts';
import type { CredentialPolicy } from './policy.ts';
import type { Key } from './records.ts';
import type { Request } from './request.ts';
import { readLive } from './retention.ts';
import { Ruling } from './ruling.ts';
import { endSoft, ownStanding } from './standing.ts';
import type { AccountRecord, BookRecord } from './state.ts';
import type { ShownDevice } from './subject.ts';

/**
 * §4.3 succeed: credentials were right. A HARD block still refuses, which closes the race of many guesses in
 * parallel; SOFT blocks and budgets never do.
 */
export function succeed(request: Request<CredentialPolicy>): Operation {
  const { keys, subject } = request;
  return {
    keys: keys.viewed,
    isWarm: false,
    look: (records, t) => {
      const context = lookAround(records, request, t);
      const { account, book } = keys;
      const isStopped = context.hard.length > 0;
      const runs = !isStopped && account !== null && book !== null && subject.device !== null;
      return {
        isStopped,
        steps: runs ? [successStep(account, book, subject.device, request, context)] : noSteps,
        decide: (reasons) => conclude([...context.hard, ...reasons], t, request.policy),
      };
    },
  };
}

function successStep(
  accountKey: Key<AccountRecord>,
  bookKey: Key<BookRecord>,
  device: ShownDevice,
  request: Request<CredentialPolicy>,
  context: Context,
): Step {
  const { policy } = request;
  const { bookMs } = policy.retention;
  const { t } = context;
  return {
    keys: [accountKey, bookKey],
    run: (records) => {
      const account = openAccount(records, accountKey, t, policy);
      const blocked = accountBlocks(account, request, context);
      if (blocked.length > 0) return answer(blocked);
      beginChange(account, policy);
      if (!context.known) floodByNewDevice(account, device, request);
      if (device.confidence !== 'LOW') {
        const book = enterBook(readLive(records, bookKey, t, bookMs), device, t, policy.caps.bookDevices);
        records.put(bookKey, book, { keepMs: book.at + bookMs - t, softMs: 0, hardMs: 0 });
        pardon(account, device);
      }
      writeAccount(records, account, t, policy);
      return silence;
    },
  };
}

/** A flood that a success sets off is stored; the success stays an ALLOW, so its reasons are not given. */
function floodByNewDevice(
  account: AccountDraft,
  device: ShownDevice,
  { policy }: Request<CredentialPolicy>,
): void {
  const ruling = new Ruling(policy);
  observeFlood(ruling, account, device.token, policy.correlation);
  noteSoft(ruling, account, policy.correlation.equilibrium, ruling.hasSoft('K4'));
  ruling.settle();
}

/** The device has shown that it is in the owner's hands. */
function pardon(account: AccountDraft, device: ShownDevice): void {
  const own = findAccountDevice(account.record.devices, device.token);
  if (own === undefined) return;
  own.id = device.token.hash;
  const standing = ownStanding(own);
  standing.score = 0;
  endSoft(standing, account.key.now);
}
