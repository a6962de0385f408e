import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import { limit, rateLimitOf } from 'portcullis/fastify';
import { createLimiter } from 'portcullis/limits';
import { createMemoryStore } from 'portcullis/memory';

/** In place of a table of customers: the key they send, and who they are. */
const customers = new Map([['demo-key', 'customer-1']]);
const items = new Map(Array.from({ length: 50 }, (_, id) => [String(id), { id, name: `item ${id}` }]));

const limiter = createLimiter({
  secret: randomBytes(32),
  store: createMemoryStore(),
  ratePerSecond: 20,
  burst: 2,
  routes: [
    { method: 'GET', path: '/items', cost: 1 },
    { method: 'GET', path: '/search', cost: 10 },
    { method: 'PUT', path: '/items/:id', cost: 5 },
    { method: 'DELETE', path: '/items/:id', cost: 3 },
  ],
  onEvent: (event) => app.log.warn(event, 'limiter'),
});

const app = fastify();

app.addHook(
  'onRequest',
  limit(limiter, { user: ({ headers }) => customers.get(headers['x-api-key']), legacyHeaders: true }),
);

app.get('/items', async () => [...items.values()].slice(0, 10));

// A search costs ten until it is known what it was worth: one, and one more for every five results.
app.get('/search', async (request) => {
  const found = [...items.values()].filter(({ name }) => name.includes(request.query.q ?? ''));
  await rateLimitOf(request)?.settle(1 + Math.ceil(found.length / 5));
  return found;
});

app.put('/items/:id', async (request, reply) => {
  items.set(request.params.id, { id: Number(request.params.id), name: String(request.body?.name) });
  return reply.code(204).send();
});

app.delete('/items/:id', async (request, reply) => {
  const status = items.delete(request.params.id) ? 204 : 404;
  return reply.code(status).send();
});

console.log(
  `listening on ${await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })}`,
);
