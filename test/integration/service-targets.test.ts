import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSvcClient, publishHealth } from '../../src/svc-client/index.ts';
import { testKeys } from '../simulation/svc-client/simulated-client.ts';
import { bearer, roleTokens, type ServiceUnderTest, startService, tokenList } from './service-under-test.ts';

async function start(): Promise<ServiceUnderTest> {
  const under = await startService({ tokens: tokenList });
  onTestFinished(() => under.close());
  return under;
}

const report = (changes: object = {}) => ({
  name: 'orders-1',
  everyMs: 10_000,
  globalBreaker: 'closed',
  loops: 0,
  droppedPassports: 0,
  leftOut: 0,
  targets: [target()],
  ...changes,
});

const target = (changes: object = {}) => ({
  target: 'stock@1',
  breaker: 'closed',
  probeInMs: 0,
  pinnedForMs: 0,
  calls: 3,
  attempts: 4,
  retries: 1,
  failures: 0,
  denied: { 'target-rate': 2 },
  ...changes,
});

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect.fail('what was waited for did not come');
}

const listen = (server: Server, port = 0) =>
  new Promise<number>((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

describe('targets that service clients report', () => {
  it('are shown with their age, in the status and in the metrics', async () => {
    const { ask } = await start();
    const taken = await ask('POST', '/v1/targets', report(), bearer('decide'));
    expect([taken.status, taken.json]).toEqual([200, { taken: true }]);
    const open = report({ name: 'cart-1', targets: [target({ breaker: 'open', probeInMs: 900 })] });
    await ask('POST', '/v1/targets', open, bearer('decide'));
    const { json } = await ask('GET', '/v1/targets', undefined, bearer('observe'));
    const { everyMs: _, ...shown } = report();
    expect(json.reporters).toEqual([
      expect.objectContaining({ name: 'cart-1', ageMs: expect.any(Number) }),
      { ...shown, ageMs: expect.any(Number), expiresInMs: expect.any(Number) },
    ]);
    const status = await ask('GET', '/v1/status', undefined, bearer('observe'));
    expect(status.json.targets).toEqual({ reporters: 2, breakers: { closed: 1, open: 1, 'half-open': 0 } });
    const { text } = await ask('GET', '/metrics', undefined, bearer('observe'));
    expect(text).toContain('portcullis_target_reporters 2');
    expect(text).toContain('portcullis_targets{breaker="open"} 1');
  });

  it('show loops by their request, once in the feed, and why a client sheds calls', async () => {
    const { ask, url } = await start();
    const feed = await fetch(`${url}/v1/events`, { headers: bearer('observe') });
    const loop = (requestId: string) => ({ requestId, hops: ['a@1', 'b@1', 'a@1'], agoMs: 3 });
    const shedding = { globalBreaker: 'open', globalCause: 'saturation' };
    const bodies = [
      report({ ...shedding, loops: 1, recentLoops: [loop('r-1')] }),
      report({ ...shedding, loops: 2, recentLoops: [loop('r-1'), loop('r-2')] }),
    ];
    for (const body of bodies) {
      expect((await ask('POST', '/v1/targets', body, bearer('decide'))).status).toBe(200);
    }
    const { json } = await ask('GET', '/v1/targets', undefined, bearer('observe'));
    expect(json.reporters[0]).toMatchObject({ ...shedding, recentLoops: [loop('r-1'), loop('r-2')] });
    const told: object[] = [];
    let text = '';
    for await (const chunk of (feed.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('"r-2"') && text.endsWith('\n\n')) break;
    }
    for (const [, line] of text.matchAll(/^data: (.+)$/gm)) told.push(JSON.parse(line ?? ''));
    expect(told.filter((event) => 'type' in event && event.type === 'loop')).toMatchObject([
      { reporter: 'orders-1', requestId: 'r-1', hops: ['a@1', 'b@1', 'a@1'] },
      { reporter: 'orders-1', requestId: 'r-2' },
    ]);
  });

  it('put each loop into the log for security, and count loops and dropped passports', async () => {
    const { ask, lines } = await start();
    const take = (body: object) => ask('POST', '/v1/targets', body, bearer('decide'));
    const loop = { requestId: 'from-192.0.2.7', hops: ['a@1', 'b@1', 'a@1', 'b@1', 'a@1'], agoMs: 3 };
    await take(report({ droppedPassports: 2 }));
    for (let turn = 0; turn < 2; turn += 1) {
      await take(report({ loops: 1, recentLoops: [loop], droppedPassports: 9 }));
    }
    const told = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'SECURITY');
    expect(told).toEqual([
      {
        level: 'warn',
        time: expect.any(Number),
        kind: 'SECURITY',
        reporter: 'orders-1',
        requestId: 'from-[address]',
        hops: loop.hops,
        msg: 'a request went round in a loop',
      },
    ]);
    const { text } = await ask('GET', '/metrics', undefined, bearer('observe'));
    expect(text).toContain('portcullis_loops_total 1\n');
    expect(text).toContain('portcullis_passports_dropped_total 7\n');
  });

  it.each([
    [
      'a loop of no request',
      report({ recentLoops: [{ requestId: 'a b', hops: [], agoMs: 0 }] }),
      'recentLoops[0].requestId',
    ],
    ['a cause that is none', report({ globalCause: 'weather' }), 'globalCause'],
    ['an unknown field', report({ host: '10.0.0.7' }), 'host'],
    ['an unknown field of a target', report({ targets: [target({ ip: '10.0.0.7' })] }), 'targets[0].ip'],
    ['an unknown reason', report({ targets: [target({ denied: { bob: 1 } })] }), 'targets[0].denied.bob'],
    [
      'a target that is no slugKey',
      report({ targets: [target({ target: 'http://10.0.0.7' })] }),
      'targets[0].target',
    ],
    ['a name that is an address of somebody', report({ name: 'bob@example.org' }), 'name'],
    ['too many targets', report({ targets: Array.from({ length: 101 }, () => target()) }), 'targets'],
    ['a pace that would never expire', report({ everyMs: 1e9 }), 'everyMs'],
    ['a count that is none', report({ targets: [target({ calls: -1 })] }), 'targets[0].calls'],
  ])('are refused with %s', async (_, body, field) => {
    const { ask } = await start();
    const { status, json } = await ask('POST', '/v1/targets', body, bearer('decide'));
    expect([status, json.code]).toEqual([400, 'INPUT_INVALID']);
    expect(json.fields.map((problem: { field: string }) => problem.field)).toContain(field);
    const { json: kept } = await ask('GET', '/v1/targets', undefined, bearer('observe'));
    expect(kept.reporters).toEqual([]);
  });

  it('are not taken from more clients than there is room for', async () => {
    const { ask } = await start();
    for (let index = 0; index < 64; index += 1) {
      await ask('POST', '/v1/targets', report({ name: `r${index}` }), bearer('decide'));
    }
    const late = await ask('POST', '/v1/targets', report({ name: 'late' }), bearer('decide'));
    expect([late.status, late.json.code]).toEqual([503, 'TOO_MANY_REPORTERS']);
    const known = await ask('POST', '/v1/targets', report({ name: 'r7' }), bearer('decide'));
    expect(known.status).toBe(200);
  });

  it('show a target that dies as open, and as closed when it is back', async () => {
    const { ask, url } = await start();
    const answer = () => createServer((_, response) => response.end('here'));
    let server = answer();
    const port = await listen(server);
    const breaker = { threshold: 2, cooldownMs: 200, goodProbes: 1 };
    const client = createSvcClient({
      self: 'orders@1',
      keys: testKeys,
      targets: { 'stock@1': { url: `http://127.0.0.1:${port}`, breaker } },
    });
    onTestFinished(() => client.close());
    const publication = publishHealth(client, {
      url,
      token: roleTokens.decide,
      name: 'orders-1',
      everyMs: 1_000,
    });
    onTestFinished(() => publication.stop());
    onTestFinished(() => void server.close());
    const call = () =>
      client.call('stock@1').then((result) => (result.ok ? result.response.body.dump() : null));
    const shown = async () => {
      const { json } = await ask('GET', '/v1/targets', undefined, bearer('observe'));
      return json.reporters[0]?.targets[0];
    };
    await call();
    await until(async () => (await shown())?.breaker === 'closed' && (await shown())?.calls > 0);
    server.close();
    server.closeAllConnections();
    await until(async () => {
      await call().catch(() => null);
      return (await shown())?.breaker === 'open';
    });
    server = answer();
    await listen(server, port);
    await until(async () => {
      await call().catch(() => null);
      return (await shown())?.breaker === 'closed';
    });
  }, 20_000);
});
