import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createSvcClient, publishHealth } from '../../src/svc-client/index.ts';
import { testKeys } from '../simulation/svc-client/simulated-client.ts';
import { barriers, chromiumPath, openConsole, picture, signIn, visit } from './browser.ts';
import { tokens } from './console-service.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null)('targets in the console', () => {
  const suite = openSuite();

  it('show a target that dies, beside what another client says of it, and that it is back', async () => {
    const answering = () => createServer((_, response) => response.end('here'));
    let target = answering();
    const listen = (port: number) =>
      new Promise<number>((resolve) => {
        target.listen(port, '127.0.0.1', () => resolve((target.address() as AddressInfo).port));
      });
    const port = await listen(0);
    const breaker = { threshold: 2, cooldownMs: 500, goodProbes: 1 };
    const targets = { 'stock@1': { url: `http://127.0.0.1:${port}`, breaker } };
    const clients = ['orders-1', 'orders-2'].map((name) => {
      const client = createSvcClient({ self: 'orders@1', keys: testKeys, targets });
      const options = { url: suite.service.url, token: tokens.decide, name, everyMs: 1_000 };
      return { client, publication: publishHealth(client, options) };
    });
    const call = () =>
      clients[0]?.client
        .call('stock@1')
        .then((result) => (result.ok ? result.response.body.dump() : undefined))
        .catch(() => undefined);
    await call();

    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await signIn(page);
    await visit(page, 'Health');
    const table = page.getByRole('table', { name: /Targets of calls between services/ });
    const rowOf = (name: string) => table.getByRole('row').filter({ hasText: name });
    await rowOf('orders-1').getByText('closed', { exact: true }).waitFor();
    await rowOf('orders-2').getByText('closed', { exact: true }).waitFor();

    target.close();
    target.closeAllConnections();
    const pressing = setInterval(() => void call(), 100);
    await rowOf('orders-1').getByText('open', { exact: true }).waitFor();
    await rowOf('orders-1')
      .getByText(/target-breaker/)
      .waitFor();
    await rowOf('orders-2').getByText('closed', { exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await picture(page, 'health-targets-dark-desk');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    ).toBeLessThanOrEqual(0);

    target = answering();
    await listen(port);
    await rowOf('orders-1').getByText('closed', { exact: true }).waitFor();
    clearInterval(pressing);
    expect(faults).toEqual([]);
    for (const { client, publication } of clients) {
      await publication.stop();
      await client.close();
    }
    target.close();
    target.closeAllConnections();
    await page.context().close();
  }, 60_000);
});
