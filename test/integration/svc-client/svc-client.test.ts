import { describe, expect, it, onTestFinished } from 'vitest';
import { currentJourney, type DenialReason } from '../../../src/svc-client/index.ts';
import { type Estate, type ServiceHandler, serviceOf, startEstate, stopEstate } from './estate.ts';

async function start(...args: Parameters<typeof startEstate>): Promise<Estate> {
  const estate = await startEstate(...args);
  onTestFinished(() => stopEstate(estate));
  return estate;
}

/** Calls the next service and passes its answer on; a denial is answered as what it is. */
function forwardTo(next: string): ServiceHandler {
  return async (client, _, response) => {
    const answer = await client.fetch(`svc://${next}/`);
    const denied = answer.headers.get('x-portcullis-denied');
    response.writeHead(answer.status, denied === null ? {} : { 'x-portcullis-denied': denied });
    response.end(await answer.text());
  };
}

describe('a loop through real servers', () => {
  it('A → B → A → B → A is refused by the client that would close the second cycle', async () => {
    const estate = await start({ 'a@1': forwardTo('b@1'), 'b@1': forwardTo('a@1') });
    const [a, b] = [serviceOf(estate, 'a@1'), serviceOf(estate, 'b@1')];
    const response = await fetch(a.loopback.url, { headers: { 'x-request-id': 'r-loop' } });
    expect(response.status).toBe(508);
    expect(await response.json()).toMatchObject({ code: 'LOOP_DETECTED', requestId: 'r-loop' });
    expect([a.loopback.requests.length, b.loopback.requests.length]).toEqual([2, 2]);
    const hops = ['a@1', 'b@1', 'a@1', 'b@1', 'a@1'];
    const seen = { requestId: 'r-loop', hops, count: 1 };
    expect(b.told.security).toEqual([{ kind: 'loop', side: 'client', ...seen }]);
    expect(b.told.alert).toEqual([{ kind: 'loop', ...seen }]);
    expect(b.client.health().loops).toBe(1);
    expect(b.client.health().targets).toContainEqual(
      expect.objectContaining({ target: 'a@1', denied: { loop: 1 } }),
    );
    expect(a.told.security).toEqual([]);
  });

  it('A → B → A → B → A is refused by the callee when the client lets it pass', async () => {
    const shadowed = (slugKey: string) => (slugKey === 'b@1' ? { shadow: ['loop' as DenialReason] } : {});
    const estate = await start({ 'a@1': forwardTo('b@1'), 'b@1': forwardTo('a@1') }, shadowed);
    const [a, b] = [serviceOf(estate, 'a@1'), serviceOf(estate, 'b@1')];
    const response = await fetch(a.loopback.url, { headers: { 'x-request-id': 'r-loop' } });
    expect(response.status).toBe(508);
    expect(response.headers.get('x-portcullis-denied')).toBe('loop');
    expect([a.loopback.requests.length, b.loopback.requests.length]).toEqual([3, 2]);
    const hops = ['a@1', 'b@1', 'a@1', 'b@1', 'a@1'];
    const seen = { requestId: 'r-loop', hops, count: 1 };
    expect(a.told.security).toEqual([{ kind: 'loop', side: 'callee', ...seen }]);
    expect(a.told.alert).toEqual([{ kind: 'loop', ...seen }]);
    expect(a.client.health().loops).toBe(1);
  });

  it('over three services is refused when the second round would close', async () => {
    const estate = await start({
      'a@1': forwardTo('b@1'),
      'b@1': forwardTo('c@1'),
      'c@1': forwardTo('a@1'),
    });
    const response = await fetch(serviceOf(estate, 'a@1').loopback.url);
    expect(response.status).toBe(508);
    const counts = Object.values(estate).map(({ loopback }) => loopback.requests.length);
    expect(counts).toEqual([2, 2, 2]);
    expect(serviceOf(estate, 'c@1').told.security).toMatchObject([
      { side: 'client', hops: ['a@1', 'b@1', 'c@1', 'a@1', 'b@1', 'c@1', 'a@1'] },
    ]);
  });

  it('does not get past by a forged passport: hops cannot be taken away without being dropped', async () => {
    const estate = await start({
      'a@1': (_, __, response) => void response.end(String(currentJourney()?.retriesLeft)),
    });
    const { loopback, told } = serviceOf(estate, 'a@1');
    const forged = `1;k1;${'A'.repeat(22)};99;600000;n;b@1>a@1;r1`;
    const response = await fetch(loopback.url, { headers: { 'x-portcullis-passport': forged } });
    expect([response.status, await response.text()]).toEqual([200, '0']);
    expect(told['passport-dropped']).toEqual([{ flaw: 'bad-signature' }]);
  });
});

describe('a request over three services', () => {
  it('has one budget of retries, spent next to the failure', async () => {
    const estate = await start({
      'a@1': forwardTo('b@1'),
      'b@1': forwardTo('c@1'),
      'c@1': (_, __, response) => void response.writeHead(503).end(),
    });
    // The first request shows each client that its callee gives receipts.
    for (let i = 0; i < 2; i += 1) await fetch(serviceOf(estate, 'a@1').loopback.url);
    const [a, b, c] = ['a@1', 'b@1', 'c@1'].map((slugKey) => serviceOf(estate, slugKey));
    expect(a?.loopback.requests).toHaveLength(2);
    expect(b?.loopback.requests).toHaveLength(2);
    // The first request lends b nothing and so b does not retry; the second lends 2 out of 3.
    expect(c?.loopback.requests).toHaveLength(1 + 1 + 2);
    expect(a?.told['retry-withheld']).toMatchObject([{ reason: 'failed-below' }, { reason: 'failed-below' }]);
  });

  it('has one deadline: each service has less time than its caller', async () => {
    const left: number[] = [];
    const noting = (handler: ServiceHandler): ServiceHandler => {
      return (client, request, response) => {
        left.push((currentJourney()?.deadlineAt ?? 0) - client.checkpoint.clock.now());
        return handler(client, request, response);
      };
    };
    const estate = await start({
      'a@1': noting(async (client, request, response) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        await forwardTo('b@1')(client, request, response);
      }),
      'b@1': noting((_, __, response) => void response.end()),
    });
    const { client } = serviceOf(estate, 'b@1');
    const result = await client.journey({ deadlineMs: 1_500 }, () => client.call('a@1'));
    expect(result.ok).toBe(true);
    const [atA = 0, atB = 0] = left;
    expect(atA).toBeLessThanOrEqual(1_500);
    expect(atB).toBeLessThan(atA);
    expect(atB).toBeGreaterThan(0);
  });

  it('passes one request id and one trace through all of them', async () => {
    const estate = await start({
      'a@1': forwardTo('b@1'),
      'b@1': forwardTo('c@1'),
      'c@1': (_, __, response) => void response.end('end'),
    });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = { 'x-request-id': 'r-1', traceparent, tracestate: 'vendor=1' };
    await fetch(serviceOf(estate, 'a@1').loopback.url, { headers });
    const [received] = serviceOf(estate, 'c@1').loopback.requests;
    expect(received?.headers).toMatchObject(headers);
  });
});
