import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRedisInstalled, type RedisServer, startRedis, until } from '../servers/redis-server.ts';
import { attacker } from './attacks.ts';
import { barriers, chromiumPath, openConsole, picture, signIn, visit } from './browser.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null || !isRedisInstalled())('when the store of the service dies', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());
  const suite = openSuite(() => ({ store: redis.url }));

  it('a banner says so on every page, in words, and stays in sight', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await signIn(page);
    expect(await page.getByRole('alert').count()).toBe(0);
    await redis.kill();
    for (let failure = 0; failure < 4; failure += 1) await suite.service.post('/v1/fail', attacker(failure));
    const banner = page.getByRole('alert');
    await banner.getByText('login: DEGRADED').waitFor();
    await banner.getByText(/The store is away\. Decisions come from local caps of this node/).waitFor();
    await banner
      .getByText(/The store was too slow or failed \(STORE_[A-Z]+\)\./)
      .first()
      .waitFor();
    expect(await barriers(page)).toEqual([]);
    await picture(page, 'degraded-dark-desk');
    for (const name of ['Blocks', 'Health'] as const) {
      await visit(page, name);
      await banner.getByText('login: DEGRADED').waitFor();
    }
    await page.getByRole('table', { name: 'Mode of each policy' }).getByText('DEGRADED').waitFor();
    await page.getByText('login went from NORMAL to DEGRADED').waitFor();
    await page.evaluate('scrollTo(0, 10_000)');
    const { top } = await page.evaluate<{ top: number }>(
      "document.querySelector('.alarm').getBoundingClientRect().toJSON()",
    );
    expect(top).toBeGreaterThanOrEqual(0);
    await page.setViewportSize({ width: 360, height: 740 });
    await picture(page, 'degraded-dark-phone');
    await page.context().close();
  });

  it('a subject is not called allowed while the store does not decide', async () => {
    await redis.resume();
    const { page } = await openConsole(suite.browser, suite.service.url);
    await signIn(page);
    const banner = page.getByRole('alert');
    await banner.getByText('login: DEGRADED').waitFor();
    await banner.getByText(/The store answers now; the policy returns to it/).waitFor();
    expect(await banner.getByText('The store is away').count()).toBe(0);
    await visit(page, 'Subject');
    await page.getByLabel('Account').fill('somebody');
    await page.getByLabel('IP address').fill('203.0.113.200');
    await until(async () => {
      await page.getByRole('button', { name: 'Look up' }).click();
      return page.getByRole('heading', { name: 'Now, under the policy login' }).isVisible();
    }, 100);
    const verdict = page.locator('.verdict');
    await verdict.getByText(/^The policy is DEGRADED: local caps decide while the store is away\./).waitFor();
    expect(await page.locator('.badge.allow').count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    await picture(page, 'subject-degraded-dark-desk');
    await page.context().close();
  });

  it('a banner says so when the service itself does not answer, and the feed comes back by itself', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await signIn(page);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await page.context().close();
  });
});

describe.skipIf(chromiumPath() === null || !isRedisInstalled())(
  'when the store of an idle service dies',
  () => {
    let redis: RedisServer;

    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis?.stop());
    const suite = openSuite(() => ({ store: redis.url }));

    it('a banner says so also while nobody asks for a decision, and goes when it is back', async () => {
      const { page } = await openConsole(suite.browser, suite.service.url);
      await signIn(page);
      await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
      await redis.kill();
      const words = page.getByRole('alert').getByText(/The store does not answer/);
      await words.first().waitFor();
      await redis.resume();
      await words.first().waitFor({ state: 'detached' });
      await page.context().close();
    });
  },
);
