import type { ConsoleService } from './console-service.ts';

interface BruteForce {
  readonly accounts: number;
  /** Per account. */
  readonly failures: number;
}

/** Guesses at accounts, each from its own address, with some successes of others in between. */
export async function bruteForce(service: ConsoleService, { accounts, failures }: BruteForce): Promise<void> {
  for (let account = 0; account < accounts; account += 1) {
    for (let failure = 0; failure < failures; failure += 1) {
      await service.post('/v1/fail', attacker(account));
    }
    await service.post('/v1/check', { account: `owner-${account}`, ip: '198.51.100.7' });
    await service.post('/v1/succeed', { account: `owner-${account}`, ip: '198.51.100.7' });
  }
}

/** The signals that the attack shows. */
export const attacker = (account: number) => ({
  account: `account-${account}`,
  ip: `203.0.113.${10 + account}`,
});
