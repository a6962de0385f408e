import { describe, expect, it } from 'vitest';
import { listenTo, testKeys } from '../../test/simulation/svc-client/simulated-client.ts';
import { SimulatedNetwork } from '../../test/simulation/svc-client/simulated-network.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import type { Attempt } from './index.ts';
import { createSvcClient, type SvcClientOptions, type SvcRequest, type Transport } from './index.ts';

/** A client whose timers come a second late, as they do in a busy process, and what was sent. */
function simulateBusy(options: Partial<SvcClientOptions> = {}, lateMs = 1_000) {
  const clock = new VirtualClock();
  const busy = {
    now: () => clock.now(),
    after: (delayMs: number, run: () => void) => clock.after(delayMs + lateMs, run),
  };
  const network = new SimulatedNetwork(clock);
  const sent: Attempt[] = [];
  const transport: Transport = {
    open(origin) {
      const { send, close } = network.open(origin);
      const noted = (attempt: Attempt) => {
        sent.push(attempt);
        return send(attempt);
      };
      return { send: noted, close };
    },
  };
  const stock = {
    url: 'http://stock',
    pool: { ratePerSecond: 2, burst: 1 },
    queue: { limit: 5, deadlineMs: 900 },
  };
  const client = createSvcClient(
    { self: 'orders@1', keys: testKeys, targets: { 'stock@1': stock }, ...options },
    { clock: busy, transport, random: () => 1 },
  );
  const call = (request: SvcRequest) => clock.complete(client.call('stock@1', request));
  return { client, clock, network, sent, call, told: listenTo(client) };
}

describe('a call whose timer comes after its deadline', () => {
  it('is not sent when it waited for its turn', async () => {
    const { network, call, sent, told } = simulateBusy();
    network.host('http://stock', async () => ({ status: 200 }));
    await call({});
    expect(await call({ deadlineMs: 900 })).toMatchObject({ ok: false, denied: { reason: 'deadline' } });
    expect(sent).toHaveLength(1);
    expect(told.denied).toMatchObject([{ denial: { reason: 'deadline' } }]);
  });

  it('is not sent again when it waited for its retry', async () => {
    const { network, call, sent, told } = simulateBusy();
    network.host('http://stock', async () => ({ status: 503 }));
    expect(await call({ deadlineMs: 900 })).toMatchObject({ attempts: 1, response: { status: 503 } });
    expect(sent).toHaveLength(1);
    expect(told['retry-withheld']).toEqual([{ target: 'stock@1', cause: '503', reason: 'deadline' }]);
  });

  it('has its usual time where deadlines are in shadow', async () => {
    const { network, call, sent } = simulateBusy({ shadow: ['deadline'] });
    network.host('http://stock', async () => ({ status: sent.length === 1 ? 503 : 200 }));
    expect(await call({ deadlineMs: 900 })).toMatchObject({ attempts: 2, response: { status: 200 } });
    expect(sent[1]).toMatchObject({ timeoutMs: 2_000, deadlineMs: 2_000 });
    expect(sent[1]?.headers['x-portcullis-passport']).toContain(';2000;');
  });
});
