import { type AccountDraft, beginChange, openAccount, writeAccount } from './account-draft.ts';
import { accountBlocks } from './account-failure.ts';
import { asInBook, enterBook, refreshBook } from './book.ts';
import type { Context } from './context.ts';
import { SteppedCourse } from './course.ts';
import { noteSoft } from './equilibrium.ts';
import { observeFlood } from './flood.ts';
import { listOf } from './list.ts';
import {
  type Answer,
  answer,
  type Course,
  noSteps,
  type Operation,
  type Step,
  silence,
} from './operation.ts';
import type { CredentialPolicy } from './policy.ts';
import type { Key, Records } from './records.ts';
import type { Request } from './request.ts';
import { RequestOperation } from './request-operation.ts';
import { ifLive, readLive } from './retention.ts';
import { Ruling } from './ruling.ts';
import { endSoft, ownStanding } from './standing.ts';
import type { AccountRecord, BookRecord } from './state.ts';
import type { ShownDevice, Token } from './subject.ts';

/**
 * §4.3 succeed: credentials were right. A HARD block still refuses, which closes the race of many guesses in
 * parallel; SOFT blocks and budgets never do.
 */
export function succeed(request: Request<CredentialPolicy>): Operation {
  return new RequestOperation(request, 'in turn', followSuccess);
}

function followSuccess(request: Request<CredentialPolicy>, context: Context): Course {
  const { keys, subject, policy } = request;
  const { account, book } = keys;
  const runs = context.hard.length === 0 && account !== null && book !== null && subject.device !== null;
  const steps = runs ? listOf(new SuccessStep(account, book, subject.device, request, context)) : noSteps;
  return new SteppedCourse(context, policy, steps);
}

class SuccessStep implements Step {
  readonly keys: readonly Key[];
  readonly #account: Key<AccountRecord>;
  readonly #book: Key<BookRecord>;
  readonly #device: ShownDevice;
  readonly #request: Request<CredentialPolicy>;
  readonly #context: Context;

  constructor(
    account: Key<AccountRecord>,
    book: Key<BookRecord>,
    device: ShownDevice,
    request: Request<CredentialPolicy>,
    context: Context,
  ) {
    this.keys = listOf<Key>(account, book);
    this.#account = account;
    this.#book = book;
    this.#device = device;
    this.#request = request;
    this.#context = context;
  }

  run(records: Records): Answer {
    const { policy } = this.#request;
    const { t, known, book } = this.#context;
    const { token, confidence } = this.#device;
    const account = openAccount(records, this.#account, t, this.#request);
    const blocked = accountBlocks(account, policy, this.#context);
    if (blocked.length > 0) return answer(blocked);
    const device = confidence === 'LOW' ? asInBook(token, book) : token;
    beginChange(account, policy, device);
    if (!known) floodByNewDevice(account, device, policy);
    if (confidence !== 'LOW') {
      this.#enterBook(records);
      pardon(account);
    }
    writeAccount(records, account, t, policy);
    return silence;
  }

  #enterBook(records: Records): void {
    const { t } = this.#context;
    const { bookMs } = this.#request.policy.retention;
    const book = this.#refreshedBook(records, bookMs) ?? this.#nextBook(records, bookMs);
    records.put(this.#book, book, { keepMs: book.at + bookMs - t, softMs: 0, hardMs: 0 });
  }

  /** The record itself, where no more than the use of the device had to be noted. */
  #refreshedBook(records: Records, bookMs: number): BookRecord | null {
    const { t } = this.#context;
    const own = records.own?.(this.#book);
    const book = ifLive(own, own?.at, t, bookMs);
    return book !== undefined && refreshBook(book, this.#device, t) ? book : null;
  }

  #nextBook(records: Records, bookMs: number): BookRecord {
    const { t } = this.#context;
    const known = readLive(records, this.#book, t, bookMs);
    return enterBook(known, this.#device, t, this.#request.policy.caps.bookDevices);
  }
}

/** A flood that a success sets off is stored; the success stays an ALLOW, so its reasons are not given. */
function floodByNewDevice(account: AccountDraft, device: Token, policy: CredentialPolicy): void {
  const ruling = new Ruling(policy);
  observeFlood(ruling, account, device, policy.correlation);
  noteSoft(ruling, account, policy.correlation.equilibrium, ruling.hasSoft('K4'));
  ruling.settle();
}

/** The device has shown that it is in the owner's hands. */
function pardon(account: AccountDraft): void {
  const own = account.ownDevice;
  if (own === null) return;
  const standing = ownStanding(own);
  standing.score = 0;
  endSoft(standing, account.key.now);
}
