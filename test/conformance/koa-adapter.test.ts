import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import Koa, { type Context } from 'koa';
import { cap, limit, protect, rateLimitOf, signInOf } from '../../src/adapters/koa/index.ts';
import { adapterConformance } from './adapter-conformance.ts';
import { type AppUnderTest, chunksOf, HandlerFailure, listen, reactionTo } from './adapter-under-test.ts';

async function react(app: AppUnderTest, context: Context): Promise<void> {
  const reaction = reactionTo(context.url.slice(app.prefix.length));
  if (reaction.kind === 'throw') throw new HandlerFailure();
  if (reaction.kind === 'late') await app.late();
  if (reaction.kind === 'settle') await rateLimitOf(context)?.settle(reaction.cost);
  context.status = reaction.kind === 'text' ? reaction.status : 200;
  if (reaction.kind === 'stream') context.body = Readable.from(chunksOf(app, reaction));
  else context.body = reaction.kind === 'text' ? reaction.body : '';
}

function applicationOf(app: AppUnderTest): Koa {
  const koa = new Koa();
  koa.silent = true;
  koa.use(
    limit(app.limiter, {
      ...app.options,
      user: (context) => context.get('x-user'),
      skip: (context) => context.get('x-skip') !== '',
    }),
  );
  koa.use(cap(app.caps, { basePath: app.options.basePath }));
  koa.use(async (context, next) => {
    if (context.method === 'POST') context.state.body = await json(context.req);
    await next();
  });
  const signIn = protect(app.guard, {
    account: (context) => context.state.body.account,
    verify: (context) => app.verify(context.state.body.account, context.state.body.password),
    devices: app.devices,
  });
  koa.use((context, next) => (context.path === `${app.prefix}/login` ? signIn(context, next) : next()));
  koa.use(async (context) => {
    if (context.path === `${app.prefix}/login`) context.body = signInOf(context)?.value;
    else await react(app, context);
  });
  return koa;
}

adapterConformance({
  name: 'Koa',
  protocols: ['http1', 'http2'],
  serve: (app) => {
    const callback = applicationOf(app).callback();
    return listen(app.protocol === 'http1' ? createServer(callback) : createHttp2Server(callback));
  },
});
