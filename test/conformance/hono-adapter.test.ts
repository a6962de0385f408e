import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { stream } from 'hono/streaming';
import { cap, limit, protect, rateLimitOf, signInOf } from '../../src/adapters/hono/index.ts';
import { adapterConformance } from './adapter-conformance.ts';
import { type AppUnderTest, chunksOf, HandlerFailure, listen, reactionTo } from './adapter-under-test.ts';

async function react(app: AppUnderTest, context: Context): Promise<Response> {
  const reaction = reactionTo(context.req.path.slice(app.prefix.length));
  if (reaction.kind === 'throw') throw new HandlerFailure();
  if (reaction.kind === 'late') await app.late();
  if (reaction.kind === 'settle') await rateLimitOf(context)?.settle(reaction.cost);
  if (reaction.kind === 'stream') {
    return stream(context, async (out) => {
      for await (const chunk of chunksOf(app, reaction)) await out.write(chunk);
    });
  }
  return reaction.kind === 'text'
    ? new Response(reaction.body || null, { status: reaction.status })
    : context.text('');
}

function applicationOf(app: AppUnderTest): Hono {
  const hono = new Hono().basePath(app.prefix === '' ? '/' : app.prefix);
  hono.onError((_, context) => context.text('failed', 500));
  hono.use(
    limit(app.limiter, {
      ...app.options,
      user: (context) => context.req.header('x-user'),
      skip: (context) => context.req.header('x-skip') !== undefined,
    }),
  );
  hono.use(cap(app.caps, { basePath: app.options.basePath }));
  hono.post(
    '/login',
    protect(app.guard, {
      account: async (context) => (await context.req.json()).account,
      verify: async (context) => {
        const { account, password } = await context.req.json();
        return app.verify(account, password);
      },
      devices: app.devices,
    }),
    (context) => context.json(signInOf<{ user: string }>(context)?.value),
  );
  hono.all('/*', (context) => react(app, context));
  return hono;
}

adapterConformance({
  name: 'Hono',
  protocols: ['http1', 'http2'],
  serve: (app) => {
    const { fetch } = applicationOf(app);
    return listen(
      app.protocol === 'http1'
        ? createAdaptorServer({ fetch, createServer })
        : createAdaptorServer({ fetch, createServer: createHttp2Server }),
    );
  },
});
