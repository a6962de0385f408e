import type { Decision } from '../../core/decision.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import type { AttackStage, Signals } from './attack-stage.ts';

/** A standard attack. The attacker knows the source, reads every answer and waits exactly as long as it must. */
export interface Attack {
  readonly name: string;
  /** In one sentence. */
  readonly says: string;
  readonly policy: 'login' | 'otp';
  readonly durationMs: number;
  run(stage: AttackStage): Promise<void>;
}

/** The account under attack, where an attack has one above all. */
export const victim = 'victim';
const ua = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

const v4 = (index: number): string => `203.0.${(index >> 8) & 255}.${index & 255}`;
const anybody = (index: number): string => (index === 0 ? victim : `account ${index}`);
const passive = (index: number) => ({ id: `passive ${index}`, confidence: 'LOW' }) as const;

/** Guesses as fast as the answers allow, by default a second apart at least. */
async function guessOn(
  stage: AttackStage,
  signalsOf: (turn: number) => Signals,
  waitMsAfter: (decision: Decision) => number = waitMsEvery(SECOND_MS),
): Promise<void> {
  for (let turn = 0; stage.isRunning; turn += 1) {
    const decision = await stage.guess(signalsOf(turn));
    await stage.wait(waitMsAfter(decision));
  }
}

/** Of whoever comes again as the same: every block has to be waited out. */
const waitMsEvery =
  (everyMs: number) =>
  ({ retryAfterMs }: Decision): number =>
    Math.max(everyMs, retryAfterMs);

/** Of whoever comes from another /64 each time, for another account: only a block on a wider prefix meets it again. */
function waitMsOnTheMove({ until, retryAfterMs, reasons }: Decision): number {
  const now = until - retryAfterMs;
  const wider = reasons.filter(({ scope }) => scope === 'P48' || scope === 'P40');
  return Math.max(SECOND_MS, ...wider.map((reason) => reason.until - now));
}

export const attacks: readonly Attack[] = [
  {
    name: 'brute force',
    says: 'One machine guesses one account for a day, and waits out every block.',
    policy: 'login',
    durationMs: 24 * HOUR_MS,
    run: (stage) => guessOn(stage, () => ({ account: victim, ip: v4(1), ua })),
  },
  {
    name: 'spray',
    says: 'One machine tries one password on account after account for a day.',
    policy: 'login',
    durationMs: 24 * HOUR_MS,
    run: (stage) => guessOn(stage, (turn) => ({ account: anybody(turn), ip: v4(1), ua, device: passive(0) })),
  },
  {
    name: 'slow and low',
    says: 'A guess on one account every half hour for three days, each from a new address and device.',
    policy: 'login',
    durationMs: 72 * HOUR_MS,
    run: (stage) =>
      guessOn(
        stage,
        (turn) => ({ account: victim, ip: v4(turn), ua, device: passive(turn) }),
        waitMsEvery(30 * MINUTE_MS),
      ),
  },
  {
    name: 'device rotation',
    says: 'A new device with every guess on one account for a day, from a thousand addresses.',
    policy: 'login',
    durationMs: 24 * HOUR_MS,
    run: (stage) =>
      guessOn(stage, (turn) => ({
        account: victim,
        ip: v4(turn % 1000),
        ua,
        device: { id: `rotated ${turn}`, confidence: 'MEDIUM' },
      })),
  },
  {
    name: 'IPv6 spray',
    says: 'Account after account for two hours, each from a new /64 of one /48; blocks on those it has left do not hold it up.',
    policy: 'login',
    durationMs: 2 * HOUR_MS,
    run: (stage) =>
      guessOn(
        stage,
        (turn) => ({
          account: anybody(turn),
          ip: `2001:db8:1:${(turn % 65_536).toString(16)}::1`,
          ua,
          device: passive(turn),
        }),
        waitMsOnTheMove,
      ),
  },
  {
    name: 'OTP preload',
    says: 'Nine wrong codes an hour apart, so that the owner’s next typo uses up the budget; then guesses for a day.',
    policy: 'otp',
    durationMs: 34 * HOUR_MS,
    run: async (stage) => {
      const signals = (turn: number): Signals => ({
        account: victim,
        ip: v4(turn),
        ua,
        device: passive(turn),
      });
      for (let turn = 0; turn < 9; turn += 1) {
        await stage.guess(signals(turn));
        await stage.wait(HOUR_MS);
      }
      await stage.mistype(victim, 'trusted');
      await guessOn(stage, (turn) => signals(9 + turn));
    },
  },
  {
    name: 'N−1 hovering',
    says: 'Four accounts within ten minutes from one address, one below the threshold, again and again for a day.',
    policy: 'login',
    durationMs: 24 * HOUR_MS,
    run: async (stage) => {
      for (let round = 0; stage.isRunning; round += 1) {
        for (let index = 0; index < 4; index += 1) {
          const decision = await stage.guess({
            account: anybody((4 * round + index) % 400),
            ip: v4(1),
            ua,
            device: passive(0),
          });
          await stage.wait(waitMsEvery(SECOND_MS)(decision));
        }
        await stage.wait(10 * MINUTE_MS);
      }
    },
  },
  {
    name: 'parallel guesses',
    says: 'A hundred guesses on one account at once, every hour for a day, all checked before the first fails.',
    policy: 'login',
    durationMs: 24 * HOUR_MS,
    run: async (stage) => {
      for (let round = 0; stage.isRunning; round += 1) {
        await stage.guessAtOnce(
          Array.from({ length: 100 }, (_, index) => ({
            account: victim,
            ip: v4(100 * round + index),
            ua,
            device: passive(index),
          })),
        );
        await stage.wait(HOUR_MS);
      }
    },
  },
  {
    name: 'store outage',
    says: 'The store is gone for half an hour; many addresses guess one account every second, whatever they are told.',
    policy: 'login',
    durationMs: 30 * MINUTE_MS,
    run: async (stage) => {
      stage.outage(true);
      for (let turn = 0; stage.isRunning; turn += 1) {
        await stage.guess({ account: victim, ip: v4(turn % 1000), ua, device: passive(turn) });
        await stage.wait(SECOND_MS);
      }
    },
  },
];
