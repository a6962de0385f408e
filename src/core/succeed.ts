import { findAccountDevice, openDevice } from './account-devices.ts';
import { type AccountDraft, openAccount } from './account-draft.ts';
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
import { readLive, write } from './retention.ts';
import { Ruling } from './ruling.ts';
import { withoutSoft } from './standing.ts';
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
      const runs = context.hard.length === 0 && account !== null && book !== null && subject.device !== null;
      return {
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
  const { recordMs, bookMs } = policy.retention;
  const { t } = context;
  return {
    keys: [accountKey, bookKey],
    run: (records) => {
      const account = openAccount(readLive(records, accountKey, t, recordMs), t, policy);
      const blocked = accountBlocks(account, request, context);
      if (blocked.length > 0) return answer(blocked);
      if (!context.known) floodByNewDevice(account, device, request);
      if (device.confidence !== 'LOW') {
        const book = enterBook(readLive(records, bookKey, t, bookMs), device, t, policy.caps.bookDevices);
        records.put(bookKey, book, { keepMs: book.at + bookMs - t, softMs: 0, hardMs: 0 });
        pardon(account, device);
      }
      write(records, accountKey, account.record, t, recordMs, account.record.devices);
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
  const found = findAccountDevice(account.record.devices, device.token);
  if (found === undefined) return;
  const own = openDevice(account, found);
  own.id = device.token.hash;
  own.standing = { ...withoutSoft(own.standing, account.key.now), score: 0 };
}
