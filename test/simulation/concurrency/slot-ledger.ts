import type { Admission, Admitted, CallOptions, Cap } from '../../../src/concurrency/index.ts';
import { createCap } from '../../../src/concurrency/index.ts';
import { type Random, seeded } from './random.ts';
import { VirtualTime } from './virtual-time.ts';

const priorities = ['health', 'critical', 'normal', 'normal', 'normal', 'background'] as const;

export type LedgerSettings = Readonly<
  Record<'limit' | 'queue' | 'healthReserve' | 'queueDeadlineMs' | 'maxRunMs', number>
>;

/** What a cap is asked at random, beside a ledger of every slot that it gave out. */
export class SlotLedger {
  readonly cap: Cap;
  readonly #settings: LedgerSettings;
  readonly #clock = new VirtualTime();
  readonly #random: Random;
  readonly #callers: AbortController[] = [];
  /** Slots that nobody has given back yet, some of which may have been taken back. */
  readonly #out: Admitted[] = [];
  /** Slots that came back before, to be given back again. */
  readonly #back: Admitted[] = [];
  asked = 0;
  decided = 0;
  granted = 0;
  returned = 0;
  overrun = 0;
  /** Work that was given to the cap and never answers, unless it was denied. */
  unanswered = 0;
  /** Releases that took effect though they were not the first, or did not though they were. Always 0. */
  wrongReleases = 0;

  constructor(seed: number, settings: LedgerSettings) {
    this.#random = seeded(seed);
    this.#settings = settings;
    this.cap = createCap({
      ...settings,
      clock: this.#clock,
      onEvent: ({ type }) => {
        if (type === 'overrun') this.overrun += 1;
      },
    });
  }

  /** Slots in use as the ledger knows it. */
  get inUse(): number {
    return this.granted - this.returned - this.overrun;
  }

  /** What the cap has wrong, or null. */
  get violation(): string | null {
    const { limit, running, healthChecks, waiting } = this.cap.status;
    const { healthReserve, queue } = this.#settings;
    if (running + healthChecks !== this.inUse)
      return `${running + healthChecks} run, but ${this.inUse} should`;
    if (running > this.#settings.limit) return `${running} run, over the limit`;
    if (healthChecks > healthReserve) return `${healthChecks} health checks run, over their reserve`;
    if (waiting > 2 * queue) return `${waiting} wait, over both queues`;
    if (waiting > 0 && running < limit && healthChecks < healthReserve) return 'calls wait beside free slots';
    return this.wrongReleases > 0 ? 'a release was believed that was not the first' : null;
  }

  /** One random thing happens, and all that follows from it at once. */
  async step(): Promise<void> {
    const acts = [
      this.#admit,
      this.#admit,
      this.#tryAdmit,
      this.#run,
      this.#run,
      this.#release,
      this.#release,
    ];
    const more = [this.#releaseAgain, this.#abort, this.#abort, this.#pin];
    const all = [...acts, ...more];
    all[this.#below(all.length)]?.call(this);
    await this.#pass(this.#random.uniform() < 0.3 ? this.#below(400) : 0);
  }

  /** Everybody gives back what they have, and whatever never answers runs out of time. */
  async windUp(): Promise<void> {
    while (this.#out.length > 0) this.#release();
    await this.#pass(60_000);
    while (this.#out.length > 0) this.#release();
    await this.#pass(60_000);
  }

  async #pass(ms: number): Promise<void> {
    await settled();
    await this.#clock.runUntil(this.#clock.now() + ms);
    await settled();
  }

  #below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }

  #call(): CallOptions {
    const { uniform } = this.#random;
    const priority = priorities[this.#below(priorities.length)] ?? 'normal';
    const caller = new AbortController();
    if (uniform() < 0.05) caller.abort();
    else this.#callers.push(caller);
    return {
      priority,
      ...(uniform() < 0.5 ? { signal: caller.signal } : {}),
      ...(uniform() < 0.3 ? { deadlineMs: this.#below(300) } : {}),
    };
  }

  #take(admission: Admission): void {
    this.decided += 1;
    if (!admission.admitted) return;
    this.granted += 1;
    this.#out.push(admission);
  }

  #admit(): void {
    this.asked += 1;
    void this.cap.admit(this.#call()).then((admission) => this.#take(admission));
  }

  #tryAdmit(): void {
    this.asked += 1;
    this.#take(this.cap.tryAdmit(this.#call()));
  }

  /** Work that answers, fails at once, never answers, answers late, or fails late. */
  #run(): void {
    const kind = this.#below(5);
    const delayMs = this.#below(3_000);
    const work = (slot: Admitted): unknown => {
      this.granted += 1;
      if (kind === 0) return this.#end(slot, 'answer');
      if (kind === 1) throw this.#end(slot, 'failure');
      if (kind === 2) return new Promise(() => {});
      return new Promise((resolve, reject) => {
        const settle = kind === 3 ? resolve : reject;
        this.#clock.after(delayMs, () => settle(this.#end(slot, 'late')));
      });
    };
    const call = this.#random.uniform() < 0.5 ? undefined : this.#call();
    this.asked += 1;
    const decide = () => {
      this.decided += 1;
    };
    if (kind === 2) this.unanswered += 1;
    this.cap.run(work, call).then((ran) => {
      if (kind === 2) this.unanswered -= 1;
      decide();
      return ran;
    }, decide);
  }

  /** The cap gives the slot back right after this, unless it was taken back before. */
  #end<T>(slot: Admitted, outcome: T): T {
    if (slot.running) this.returned += 1;
    return outcome;
  }

  #release(): void {
    const [slot] = this.#out.splice(this.#below(this.#out.length), 1);
    if (slot === undefined) return;
    const wasRunning = slot.running;
    const isBack = slot.release(this.#random.uniform() < 0.5 ? 'done' : 'failed');
    if (isBack !== wasRunning) this.wrongReleases += 1;
    if (isBack) this.returned += 1;
    this.#back.push(slot);
  }

  #releaseAgain(): void {
    const slot = this.#back[this.#below(this.#back.length)];
    if (slot?.release() === true) this.wrongReleases += 1;
  }

  #abort(): void {
    this.#callers.splice(this.#below(this.#callers.length), 1)[0]?.abort();
  }

  #pin(): void {
    const note = { by: 'op-7', why: 'to see' };
    if (this.#random.uniform() < 0.5) this.cap.unpin(note);
    else {
      const limit = 1 + this.#below(this.#settings.limit);
      this.cap.pin(limit, { ...note, forMs: 1 + this.#below(2_000) });
    }
  }
}

/**
 * Turns of the microtask queue until nothing follows any more: a slot that comes back lets one in that waited, whose work may
 * end at once and let in the next, through both queues.
 */
const CASCADE_TURNS = 128;

async function settled(): Promise<void> {
  for (let turn = 0; turn < CASCADE_TURNS; turn += 1) await null;
}
