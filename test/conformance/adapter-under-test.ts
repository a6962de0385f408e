import { request as requestHttp1 } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import type { Scenarios } from '../../src/abuse/index.ts';
import type { Caps } from '../../src/concurrency/index.ts';
import type { Devices } from '../../src/device/index.ts';
import type { Guard } from '../../src/guard/guard.ts';
import type { Limiter } from '../../src/limits/index.ts';

export type Protocol = 'http1' | 'http2';

/** Options that every adapter takes in the same words. */
export interface GateOptions {
  readonly trustedProxies?: readonly string[];
  readonly basePath?: string;
  readonly legacyHeaders?: boolean;
  readonly skipSuccessfulRequests?: boolean;
  readonly skipFailedRequests?: boolean;
  readonly scenarios?: Scenarios;
}

/**
 * The application that an adapter's fixture serves, below `prefix`: everything is limited, with the header `x-user` as
 * user and calls skipped that have the header `x-skip`; then everything is capped; `POST /login` is a protected sign-in with the account and
 * password of its JSON body, which answers `{ "user": … }`; everything else does what {@link reactionTo} says.
 */
export interface AppUnderTest {
  readonly prefix: string;
  readonly protocol: Protocol;
  readonly limiter: Limiter;
  readonly caps: Caps;
  readonly options: GateOptions;
  readonly guard: Guard;
  readonly devices: Devices;
  /** Resolves to the user, or to null when the password is wrong. */
  verify(account: string, password: string): Promise<{ readonly user: string } | null>;
  /** Called when a handler starts that answers late; the answer waits for the promise. */
  late(): Promise<void>;
}

export interface ServedApp {
  /** `http://127.0.0.1:…` */
  readonly origin: string;
  close(): Promise<void>;
}

/** An adapter on its framework's own server. */
export interface AdapterUnderTest {
  readonly name: string;
  readonly protocols: readonly Protocol[];
  serve(app: AppUnderTest): Promise<ServedApp>;
}

/** What a handler does, by the path below the prefix. */
export type Reaction =
  | { readonly kind: 'text'; readonly status: number; readonly body: string }
  | { readonly kind: 'stream'; readonly chunks: readonly string[]; readonly late: boolean }
  | { readonly kind: 'settle'; readonly cost: number }
  | { readonly kind: 'throw' }
  | { readonly kind: 'late' };

export function reactionTo(path: string): Reaction {
  const [, first = '', second = ''] = (path.split('?')[0] ?? '').split('/');
  if (first === 'stream')
    return { kind: 'stream', chunks: ['one ', 'two ', 'three'], late: second === 'late' };
  if (first === 'settle') return { kind: 'settle', cost: Number(second) };
  if (path === '/status/204') return { kind: 'text', status: 204, body: '' };
  if (first === 'status') return { kind: 'text', status: Number(second), body: `status ${second}` };
  if (first === 'throw') return { kind: 'throw' };
  if (first === 'late') return { kind: 'late' };
  return { kind: 'text', status: 200, body: `handled ${path}` };
}

/** What a handler streams. One that is late waits after the first chunk. */
export async function* chunksOf(
  app: AppUnderTest,
  { chunks, late }: Extract<Reaction, { kind: 'stream' }>,
): AsyncGenerator<string> {
  const [first = '', ...others] = chunks;
  yield first;
  if (late) await app.late();
  yield* others;
}

/** What handlers that throw throw. */
export class HandlerFailure extends Error {
  override readonly name = 'HandlerFailure';
}

/** Serves on a free port of the loopback interface; open connections end with the server. */
export async function listen(server: Server): Promise<ServedApp> {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: originOf(server),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called with a function that ends the connection. */
  readonly onOpen?: (abort: () => void) => void;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

const defaultHeaders = {
  'user-agent': 'Mozilla/5.0 Chrome/120.0.0.0 Safari/537.36',
  'accept-language': 'en',
};

/** One request on a connection of its own. */
export function ask(protocol: Protocol, url: string, asked: Asked = {}): Promise<Answered> {
  const headers = { ...defaultHeaders, ...asked.headers };
  return protocol === 'http1' ? askHttp1(url, { ...asked, headers }) : askHttp2(url, { ...asked, headers });
}

function askHttp1(url: string, { method = 'GET', headers = {}, body, onOpen }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = requestHttp1(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
    onOpen?.(() => request.destroy());
  });
}

function askHttp2(url: string, { method = 'GET', headers = {}, body, onOpen }: Asked): Promise<Answered> {
  const { origin, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const session = connectHttp2(origin);
    session.on('error', reject);
    const stream = session.request({ ...headers, ':method': method, ':path': pathname + search });
    let text = '';
    let head: Answered['headers'] | null = null;
    stream.setEncoding('utf8');
    stream.on('response', (received) => {
      head = received;
    });
    stream.on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('end', () => {
      session.close();
      if (head === null) reject(new HandlerFailure('no answer'));
      else resolve({ status: Number(head[':status'] ?? 0), headers: head, body: text });
    });
    stream.on('error', reject);
    stream.end(body);
    onOpen?.(() => session.destroy());
  });
}
