import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createAdaptorServer, type Http2Bindings, type HttpBindings } from '@hono/node-server';
import { cap, type FetchHandler, limit, protect, type RateLimit } from '../../src/adapters/fetch/index.ts';
import { adapterConformance } from './adapter-conformance.ts';
import { type AppUnderTest, chunksOf, HandlerFailure, listen, reactionTo } from './adapter-under-test.ts';

type Info = HttpBindings | Http2Bindings;

const peer = (_: Request, { incoming }: Info) => incoming.socket.remoteAddress;

async function react(app: AppUnderTest, request: Request, rateLimit: RateLimit | null): Promise<Response> {
  const reaction = reactionTo(new URL(request.url).pathname.slice(app.prefix.length));
  if (reaction.kind === 'throw') throw new HandlerFailure();
  if (reaction.kind === 'late') await app.late();
  if (reaction.kind === 'settle') await rateLimit?.settle(reaction.cost);
  if (reaction.kind === 'stream') return new Response(ReadableStream.from(encoded(chunksOf(app, reaction))));
  return reaction.kind === 'text'
    ? new Response(reaction.body || null, { status: reaction.status })
    : new Response('');
}

async function* encoded(chunks: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield new TextEncoder().encode(chunk);
}

type Credentials = { readonly account: string; readonly password: string };

async function credentialsOf(request: Request): Promise<Credentials> {
  return (await request.clone().json()) as Credentials;
}

function handlerOf(app: AppUnderTest): FetchHandler<Info> {
  const limited = limit<Info>(app.limiter, {
    ...app.options,
    peer,
    headerNames: (_, { incoming }) => incoming.rawHeaders.filter((_name, index) => index % 2 === 0),
    user: (request) => request.headers.get('x-user'),
    skip: (request) => request.headers.has('x-skip'),
  });
  const capped = cap<Info>(app.caps, { basePath: app.options.basePath });
  const signIn = protect<{ user: string }, Info>(app.guard, {
    peer,
    account: async (request) => (await credentialsOf(request)).account,
    verify: async (request) => {
      const { account, password } = await credentialsOf(request);
      return app.verify(account, password);
    },
    devices: app.devices,
  })((_, __, { value }) => Response.json(value));
  const handle = async (request: Request, info: Info, rateLimit: RateLimit | null) => {
    const handler = capped(() =>
      request.method === 'POST' ? signIn(request, info) : react(app, request, rateLimit),
    );
    try {
      return await handler(request, info);
    } catch (error) {
      if (!(error instanceof HandlerFailure) || request.url.endsWith('/throw/past')) throw error;
      return new Response('failed', { status: 500 });
    }
  };
  return limited(handle);
}

adapterConformance({
  name: 'fetch',
  protocols: ['http1', 'http2'],
  serve: (app) => {
    const handler = handlerOf(app);
    const fetch = async (request: Request, info: Info) => {
      try {
        return await handler(request, info);
      } catch {
        return new Response('failed', { status: 500 });
      }
    };
    return listen(
      app.protocol === 'http1'
        ? createAdaptorServer({ fetch, createServer })
        : createAdaptorServer({ fetch, createServer: createHttp2Server }),
    );
  },
});
