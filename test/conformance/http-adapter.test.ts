import { createServer, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { json } from 'node:stream/consumers';
import {
  cap,
  limit,
  type NodeRequest,
  type NodeResponse,
  protect,
  rateLimitOf,
  signInOf,
} from '../../src/adapters/http/index.ts';
import { adapterConformance } from './adapter-conformance.ts';
import { type AppUnderTest, chunksOf, HandlerFailure, listen, reactionTo } from './adapter-under-test.ts';

async function react(app: AppUnderTest, request: NodeRequest, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').slice(app.prefix.length);
  const reaction = reactionTo(path);
  if (reaction.kind === 'throw') throw new HandlerFailure();
  if (reaction.kind === 'late') await app.late();
  if (reaction.kind === 'settle') await rateLimitOf(request)?.settle(reaction.cost);
  if (reaction.kind === 'stream') for await (const chunk of chunksOf(app, reaction)) response.write(chunk);
  if (reaction.kind === 'text') response.statusCode = reaction.status;
  response.end(reaction.kind === 'text' ? reaction.body : undefined);
}

type Credentials = { readonly account: string; readonly password: string };

/** Reads the body of a request once. */
function createBodyReader(): (request: NodeRequest) => Promise<Credentials> {
  const bodies = new WeakMap<NodeRequest, Promise<unknown>>();
  return async (request) => {
    const body = bodies.get(request) ?? json(request);
    bodies.set(request, body);
    return (await body) as Credentials;
  };
}

function listenerOf(app: AppUnderTest): (request: NodeRequest, response: NodeResponse) => void {
  const limited = limit(app.limiter, {
    ...app.options,
    user: (request) => request.headers['x-user']?.toString(),
    skip: (request) => request.headers['x-skip'] !== undefined,
  });
  const capped = cap(app.caps, { basePath: app.options.basePath });
  const bodyOf = createBodyReader();
  const signIn = protect(app.guard, {
    account: async (request) => (await bodyOf(request)).account,
    verify: async (request) => {
      const { account, password } = await bodyOf(request);
      return app.verify(account, password);
    },
    devices: app.devices,
  });
  const fail = (response: NodeResponse) => {
    response.statusCode = 500;
    response.end('failed');
  };
  const handle = (request: NodeRequest, response: NodeResponse) => {
    if (request.method !== 'POST') {
      react(app, request, response as ServerResponse).catch(() => fail(response));
      return;
    }
    signIn(request, response, (failure) => {
      if (failure !== undefined) return fail(response);
      response.end(JSON.stringify(signInOf<{ user: string }>(request)?.value));
    });
  };
  return (request, response) =>
    limited(request, response, (error) => {
      if (error !== undefined) return fail(response);
      capped(request, response, (failure) => {
        if (failure !== undefined) return fail(response);
        handle(request, response);
      });
    });
}

adapterConformance({
  name: 'node:http',
  protocols: ['http1', 'http2'],
  serve: (app) => {
    const listener = listenerOf(app);
    return listen(app.protocol === 'http1' ? createServer(listener) : createHttp2Server(listener));
  },
});
