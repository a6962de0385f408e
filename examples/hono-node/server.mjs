import { randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { limit, rateLimitOf } from 'portcullis/hono';
import { createLimiter } from 'portcullis/limits';
import { createMemoryStore } from 'portcullis/memory';

const limiter = createLimiter({
  secret: randomBytes(32),
  store: createMemoryStore(),
  ratePerSecond: 20,
  burst: 2,
});

const app = new Hono();

// Where a proxy is in front: `trustedProxies: ['10.0.0.0/8']`.
app.use(limit(limiter, { skip: ({ req }) => req.path === '/healthz' }));

app.get('/healthz', (context) => context.text('ok'));
app.get('/quota', (context) => {
  const { limit: units, remaining } = rateLimitOf(context) ?? {};
  return context.json({ units, remaining });
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`);
});
