import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { gonePeer } from '../../connections/peer.ts';
import { peerOfContext, rawHeadersOf } from './bindings.ts';

/** What is found where a server hands this along. */
async function found(bindings?: object): Promise<[peer: string | undefined, names: number | undefined]> {
  const app = new Hono();
  let seen: [string | undefined, number | undefined] | undefined;
  app.get('/', (context) => {
    seen = [peerOfContext(context), rawHeadersOf(context)?.length];
    return context.text('');
  });
  await app.request('/', {}, bindings);
  if (seen === undefined) throw new TypeError('nobody was asked');
  return seen;
}

/** As Bun hands it along: it has methods, and knows the address of a request while its client is there. */
class BunServer {
  readonly port: number | undefined;
  readonly #address: string | null;

  constructor(port: number | undefined, address: string | null) {
    this.port = port;
    this.#address = address;
  }

  requestIP(request: Request) {
    return request instanceof Request && this.#address !== null ? { address: this.#address } : null;
  }
}

describe('the peer of a request in Hono', () => {
  it.each([
    ['Node', { incoming: { socket: { remoteAddress: '203.0.113.7' }, rawHeaders: ['a', 'b'] } }, 2],
    ['Bun', new BunServer(8080, '203.0.113.7'), undefined],
    ['Deno', { remoteAddr: { transport: 'tcp', hostname: '203.0.113.7', port: 4 } }, undefined],
  ])('is found where %s keeps it', async (_, bindings, names) => {
    expect(await found(bindings)).toEqual(['203.0.113.7', names]);
  });

  it.each([
    ['Node', { incoming: { socket: { destroyed: true } } }],
    ['Bun', new BunServer(8080, null)],
  ])('is gone where %s has forgotten it, and not taken for a Unix socket', async (_, bindings) => {
    expect(await found(bindings)).toEqual([gonePeer, undefined]);
  });

  it.each([
    ['Node', { incoming: { socket: {} } }],
    ['Bun', new BunServer(undefined, null)],
    ['Deno', { remoteAddr: { transport: 'unix', path: '/run/app.sock' } }],
    ['another runtime', { KV: {} }],
    ['no server', undefined],
  ])('is none on a Unix socket or of nobody: %s', async (_, bindings) => {
    expect(await found(bindings)).toEqual([undefined, undefined]);
  });
});
