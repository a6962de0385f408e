import { EventEmitter, once } from 'node:events';
import { createServer, connect as openSocket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClientAddress } from '../../src/adapters/client-address.ts';
import { createLimiter, type Limiter } from '../../src/limits/index.ts';
import { frameTypes } from '../../src/server/spoe/frame.ts';
import { type SpoeParts, startSpoe } from '../../src/server/spoe/spoe-server.ts';
import type { TypedData } from '../../src/server/spoe/typed-data.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { fieldsOf, SpopClient, variablesIn } from '../servers/spop-client.ts';

const secret = 'spoe-secret-0123456789abcdef';
const clock = () => 1_000_000_000_000;

async function scene(parts: Partial<SpoeParts> = {}) {
  const limiter = createLimiter({ store: createMemoryStore({ clock }), secret, ratePerSecond: 4, clock });
  const agent = await startSpoe({ host: '127.0.0.1', port: 0, limiter, drainMs: 1_000, ...parts });
  onTestFinished(agent.close);
  const connect = () => {
    const client = new SpopClient(agent.port);
    onTestFinished(() => client.close());
    return client;
  };
  return { agent, connect };
}

async function greeted(parts: Partial<SpoeParts> = {}, hello: Readonly<Record<string, TypedData>> = {}) {
  const { agent, connect } = await scene(parts);
  const client = connect();
  client.hello(hello);
  await client.receive();
  return { agent, client, connect };
}

const text = (value: string): TypedData => ({ type: 'string', value });
const call = (ip = '203.0.113.7', more: Readonly<Record<string, TypedData>> = {}) => ({
  ip: { type: 'ipv4', value: ip } as const,
  method: text('GET'),
  path: text('/list'),
  ua: text('curl/8'),
  id: text('req-1'),
  ...more,
});

describe('the handshake', () => {
  it('agrees on version, size and what both can', async () => {
    const { connect } = await scene();
    const client = connect();
    client.hello({ 'supported-versions': text('3.1, 2.0') });
    const answer = await client.receive();
    expect(answer?.type).toBe(frameTypes.agentHello);
    expect(fieldsOf(answer)).toEqual({
      version: '2.0',
      'max-frame-size': 16_380,
      capabilities: 'pipelining',
    });
  });

  it('answers a health check and closes', async () => {
    const { connect } = await scene();
    const client = connect();
    client.hello({ healthcheck: { type: 'bool', value: true } });
    expect((await client.receive())?.type).toBe(frameTypes.agentHello);
    expect(await client.receive()).toBeNull();
  });

  it.each<[string, Readonly<Record<string, TypedData>>, number]>([
    ['no version', { 'supported-versions': { type: 'null' } }, 5],
    ['no size', { 'max-frame-size': { type: 'null' } }, 6],
    ['no capabilities', { capabilities: { type: 'null' } }, 7],
    ['another version', { 'supported-versions': text('1.0') }, 8],
    ['frames that are too small', { 'max-frame-size': { type: 'uint32', value: 255 } }, 9],
  ])('ends with a reason for %s', async (_, fields, code) => {
    const { connect } = await scene();
    const client = connect();
    client.hello(fields);
    const answer = await client.receive();
    expect(answer?.type).toBe(frameTypes.agentDisconnect);
    expect(fieldsOf(answer)).toMatchObject({ 'status-code': code });
    expect(await client.receive()).toBeNull();
  });

  it('ends with a reason when nobody says hello', async () => {
    const { connect } = await scene({ helloMs: 20 });
    expect(fieldsOf(await connect().receive())).toEqual({ 'status-code': 2, message: 'a timeout occurred' });
  });
});

describe('decisions', () => {
  it('sets what HAProxy needs to pass a call on, and to refuse it', async () => {
    const { client } = await greeted();
    client.notify(7, 'portcullis-limit', call());
    const first = await client.receive();
    expect(first).toMatchObject({ type: frameTypes.ack, streamId: 7, frameId: 1 });
    expect(variablesIn(first)).toEqual({
      allowed: true,
      status: 200,
      retry_after: 0,
      rule: '',
      request_id: 'req-1',
      ratelimit: '"default";r=2;t=1',
      ratelimit_policy: '"default";q=3;w=3',
    });
    client.notify(8, 'portcullis-limit', call('203.0.113.7', { cost: { type: 'int64', value: 3 } }));
    const { problem, ...refused } = variablesIn(await client.receive());
    expect(refused).toMatchObject({ allowed: false, status: 429, retry_after: 1, rule: 'limit' });
    expect(JSON.parse(String(problem))).toMatchObject({ status: 429, requestId: 'req-1', instance: '/list' });
  });

  it('answers many streams of one connection, each by its own number', async () => {
    const { client } = await greeted();
    const streams = Array.from({ length: 500 }, (_, index) => index + 1);
    for (const stream of streams) {
      client.notify(stream, 'portcullis-limit', call(`10.0.${stream >> 8}.${stream & 255}`));
    }
    const answered: number[] = [];
    for (const _ of streams) {
      const ack = await client.receive();
      expect(variablesIn(ack)).toMatchObject({ allowed: true });
      answered.push(ack?.streamId ?? 0);
    }
    expect(answered.sort((a, b) => a - b)).toEqual(streams);
  });

  it('takes the word of a trusted proxy for the client, and of nobody else', async () => {
    const xff = (last: number) => ({ xff: text(`192.0.2.1, 198.51.100.${last}`) });
    const { client } = await greeted();
    for (const left of [2, 1, 0]) {
      client.notify(1, 'portcullis-limit', call('203.0.113.7', xff(left)));
      expect(variablesIn(await client.receive()).ratelimit).toContain(`r=${left}`);
    }
    const { client: trusted } = await greeted({
      addressOf: createClientAddress({ trustedProxies: ['203.0.113.0/24'] }),
    });
    for (const last of [1, 2, 3]) {
      trusted.notify(1, 'portcullis-limit', call('203.0.113.7', xff(last)));
      expect(variablesIn(await trusted.receive()).ratelimit).toContain('r=2');
    }
  });

  it('knows users, IPv6 and costs', async () => {
    const { client } = await greeted();
    client.notify(1, 'portcullis-limit', call('203.0.113.7', { user: text('ann') }));
    expect(variablesIn(await client.receive()).ratelimit).toContain('r=11');
    client.notify(
      2,
      'portcullis-limit',
      call('203.0.113.7', { ip: { type: 'ipv6', value: '2001:db8:0:0:0:0:0:1' } }),
    );
    expect(variablesIn(await client.receive()).ratelimit).toContain('r=2');
  });

  it('takes a target without a path for the root, as servers do', async () => {
    const { client } = await greeted();
    for (const [stream, path] of [{ type: 'null' } as const, text('')].entries()) {
      client.notify(stream + 1, 'portcullis-limit', call('203.0.113.7', { path }));
      expect(variablesIn(await client.receive())).toMatchObject({ allowed: true });
    }
    client.notify(3, 'portcullis-limit', call());
    client.notify(4, 'portcullis-limit', call('203.0.113.7', { path: text('') }));
    await client.receive();
    expect(variablesIn(await client.receive())).toMatchObject({ allowed: false });
  });

  it('says what was wrong with a message, and leaves the decision to the configuration', async () => {
    const faults: unknown[] = [];
    const { client } = await greeted({ onFault: (error) => faults.push(error) });
    client.notify(1, 'portcullis-limit', { method: text('GET') });
    expect(variablesIn(await client.receive())).toEqual({ error: 'INPUT_INVALID' });
    client.notify(2, 'portcullis-limit', call('203.0.113.7', { cost: { type: 'int64', value: -1 } }));
    expect(variablesIn(await client.receive())).toEqual({ error: 'INPUT_INVALID' });
    client.notify(3, 'something-else', call());
    expect(variablesIn(await client.receive())).toEqual({});
    expect(faults).toEqual([]);
  });

  it('tells of a fault of ours without its words', async () => {
    const faults: unknown[] = [];
    const broken = new TypeError('with 203.0.113.7 in its words');
    const limiter = { take: () => Promise.reject(broken) } as Pick<Limiter, 'take'> as Limiter;
    const { client } = await greeted({ limiter, onFault: (error) => faults.push(error) });
    client.notify(1, 'portcullis-limit', call());
    expect(variablesIn(await client.receive())).toEqual({ error: 'INTERNAL' });
    expect(faults).toEqual([broken]);
  });

  it('keeps to the size that was agreed on: what decides comes first', async () => {
    const { client } = await greeted({}, { 'max-frame-size': { type: 'uint32', value: 256 } });
    for (const stream of [1, 2, 3]) {
      client.notify(stream, 'portcullis-limit', call());
      await client.receive();
    }
    client.notify(4, 'portcullis-limit', call());
    const refusal = await client.receive();
    expect(refusal?.payload.length).toBeLessThan(256);
    const variables = variablesIn(refusal);
    expect(variables).toMatchObject({ allowed: false, status: 429, retry_after: 1 });
    expect(Object.keys(variables)).not.toContain('problem');
  });
});

describe('what is against the protocol', () => {
  it('refuses fragments with the reason, and closes', async () => {
    const { client } = await greeted();
    client.send({ type: frameTypes.notify, fin: false, streamId: 1, frameId: 1 });
    expect(fieldsOf(await client.receive())).toEqual({
      'status-code': 10,
      message: 'payload fragmentation is not supported',
    });
    expect(await client.receive()).toBeNull();
  });

  it('refuses frames that are longer than agreed, before they are here', async () => {
    const { client } = await greeted();
    client.sendBytes(Uint8Array.of(0, 0, 0x40, 0));
    expect(fieldsOf(await client.receive())).toMatchObject({ 'status-code': 3 });
  });

  it('refuses a second greeting, and messages before the first', async () => {
    const { client, connect } = await greeted();
    client.hello();
    expect(fieldsOf(await client.receive())).toMatchObject({ 'status-code': 4 });
    const early = connect();
    early.notify(1, 'portcullis-limit', call());
    expect(fieldsOf(await early.receive())).toMatchObject({ 'status-code': 4 });
  });

  it('skips frames it does not know', async () => {
    const { client } = await greeted();
    client.send({ type: 77 });
    client.notify(1, 'portcullis-limit', call());
    expect(variablesIn(await client.receive())).toMatchObject({ allowed: true });
  });

  it('says goodbye to who says goodbye', async () => {
    const { client } = await greeted();
    client.send({ type: frameTypes.haproxyDisconnect });
    expect(fieldsOf(await client.receive())).toEqual({ 'status-code': 0, message: 'normal' });
    expect(await client.receive()).toBeNull();
  });

  it('bears any bytes, before and after the handshake', async () => {
    const { connect } = await scene({ helloMs: 60_000 });
    const samples = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 200 }), { numRuns: 200, seed: 7 });
    for (const [index, bytes] of samples.entries()) {
      const client = connect();
      if (index % 2 === 0) client.hello();
      client.sendBytes(Buffer.concat([Uint8Array.of(0, 0, 0, bytes.length), bytes]));
      client.send({ type: frameTypes.haproxyDisconnect });
      for (let frame = await client.receive(); frame !== null; frame = await client.receive()) {
        expect([frameTypes.agentHello, frameTypes.agentDisconnect, frameTypes.ack]).toContain(frame.type);
      }
    }
    const client = connect();
    client.hello();
    await client.receive();
    client.notify(1, 'portcullis-limit', call());
    expect(variablesIn(await client.receive())).toMatchObject({ allowed: true });
  });
});

describe('the end', () => {
  it('answers what has come, then says goodbye', async () => {
    const entered = new EventEmitter();
    const inner = createLimiter({ store: createMemoryStore(), secret });
    const limiter: Limiter = {
      name: 'slow',
      take: async (asked) => {
        await new Promise<void>((release) => entered.emit('entered', release));
        return inner.take(asked);
      },
      settle: (verdict, cost) => inner.settle(verdict, cost),
      blocks: () => inner.blocks(),
      blockIdOf: (client) => inner.blockIdOf(client),
      lift: (client) => inner.lift(client),
      block: (client) => inner.block(client),
      counts: () => inner.counts(),
    };
    const { agent, client } = await greeted({ limiter });
    client.notify(1, 'portcullis-limit', call());
    const [release] = (await once(entered, 'entered')) as [() => void];
    const closed = agent.close();
    release();
    expect(variablesIn(await client.receive())).toMatchObject({ allowed: true });
    expect(fieldsOf(await client.receive())).toEqual({ 'status-code': 0, message: 'normal' });
    await closed;
  });

  it('takes no more connections than it may', async () => {
    const { connect } = await scene({ connections: 1 });
    const first = connect();
    first.hello();
    await first.receive();
    expect(await connect().receive()).toBeNull();
  });

  it('says goodbye to a peer that may not connect any more, when it is told to look', async () => {
    let isTrusted = true;
    const { agent, client } = await greeted({ mayConnect: () => isTrusted });
    agent.recheck();
    client.notify(1, 'portcullis-limit', call());
    expect((await client.receive())?.type).toBe(frameTypes.ack);
    isTrusted = false;
    agent.recheck();
    expect((await client.receive())?.type).toBe(frameTypes.agentDisconnect);
    expect(await client.receive()).toBeNull();
  });

  it('gives the slot of a peer free that says no hello and never ends its half', async () => {
    const { agent, connect } = await scene({ connections: 1, helloMs: 20, farewellMs: 20 });
    const rude = openSocket({ port: agent.port, host: '127.0.0.1', allowHalfOpen: true }).resume();
    rude.on('error', () => rude.destroy());
    onTestFinished(() => void rude.destroy());
    await once(rude, 'connect');
    for (let answer = null; answer === null; ) {
      const next = connect();
      next.hello();
      answer = await next.receive();
      if (answer === null) await new Promise((again) => setTimeout(again, 20));
    }
  });

  it('says which port was taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    onTestFinished(() => void taken.close());
    await expect(scene({ port })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
