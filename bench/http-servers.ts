import { createServer, type Server } from 'node:http';
import fastifyRateLimit from '@fastify/rate-limit';
import express, { type RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import fastify, { type FastifyInstance } from 'fastify';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { limit as limitExpress } from '../src/adapters/express/index.ts';
import { onOneClass } from '../src/adapters/express/one-class.ts';
import { limit as limitFastify } from '../src/adapters/fastify/index.ts';
import { keepTick } from '../src/connections/kept-tick.ts';
import { createLimiter, type Limiter } from '../src/limits/index.ts';
import { createMemoryStore } from '../src/stores/memory/index.ts';
import { createRedisStore } from '../src/stores/redis/index.ts';
import { listItems } from './item-list.ts';

/**
 * One server of the HTTP bench, in a process of its own: `node http-servers.js FRAMEWORK LIMITER [REDIS URL]`. All of
 * them answer `GET /` with a few bytes and `GET /items` with a list, and tell callers apart by the header `x-user`; no
 * limit is ever reached. Tells the process that started it its port, and after each message how much processor time it has
 * used, in µs; after `collect` it has also collected all garbage, in a moment in which it had nothing to do.
 */
export const frameworks = ['express', 'fastify'] as const;
export type Framework = (typeof frameworks)[number];
/** `mended` has no limiter, but what ours does besides: an entry of the queue of ticks is kept, and Express has objects of one class. */
export type LimiterName = 'none' | 'mended' | 'headers' | 'ours' | 'peer';

/** Per second and caller: more than any load here asks for. */
const unreachable = 100_000;
const windowMs = 60_000;
/** After this, nothing of what came before is under way. */
const atRestMs = 20;
const body = { hello: 'world' };

/** What ours tells each caller, the same for all: what an answer costs that says so much, whoever found it out. */
const fixedHeaders = [
  ['x-request-id', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'],
  ['ratelimit-policy', '"default";q=300000;w=3'],
  ['ratelimit', '"default";r=299999;t=1'],
] as const;

function ourLimiter(redisUrl: string | undefined): Limiter {
  const store =
    redisUrl === undefined ? createMemoryStore() : createRedisStore({ url: redisUrl, deadlineMs: 2_000 });
  return createLimiter({ store, secret: 'a secret for the bench', ratePerSecond: unreachable });
}

function flexibleMiddleware(url: string): RequestHandler {
  const flexible = new RateLimiterRedis({
    storeClient: new Redis(url),
    points: unreachable * 60,
    duration: windowMs / 1_000,
  });
  return (request, response, next) => {
    flexible.consume(request.get('x-user') ?? '').then(
      ({ remainingPoints }) => {
        response.setHeader('X-RateLimit-Remaining', remainingPoints);
        next();
      },
      () => response.status(429).end(),
    );
  };
}

function expressMiddleware(limiter: LimiterName, redisUrl: string | undefined): RequestHandler | null {
  if (limiter === 'none') return null;
  if (limiter === 'mended') {
    keepTick();
    return onOneClass((_request, _response, next: () => void) => next());
  }
  if (limiter === 'headers') {
    return (_, response, next) => {
      for (const [name, value] of fixedHeaders) response.setHeader(name, value);
      next();
    };
  }
  if (limiter === 'ours') {
    return limitExpress(ourLimiter(redisUrl), { user: (request) => request.get('x-user') });
  }
  if (redisUrl !== undefined) return flexibleMiddleware(redisUrl);
  return rateLimit({
    windowMs,
    limit: unreachable * 60,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => request.get('x-user') ?? '',
  });
}

async function serveExpress(limiter: LimiterName, redisUrl: string | undefined): Promise<Server> {
  const app = express();
  const middleware = expressMiddleware(limiter, redisUrl);
  if (middleware !== null) app.use(middleware);
  app.get('/', (_, response) => {
    response.json(body);
  });
  app.get('/items', (_, response) => {
    response.json(listItems());
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function addFastifyLimiter(app: FastifyInstance, limiter: LimiterName, redisUrl: string | undefined) {
  if (limiter === 'mended') keepTick();
  if (limiter === 'headers') {
    app.addHook('onRequest', (_, reply, done) => {
      for (const [name, value] of fixedHeaders) reply.header(name, value);
      done();
    });
  }
  if (limiter === 'ours') {
    const user = ({ headers }: { headers: Record<string, unknown> }) => String(headers['x-user']);
    app.addHook('onRequest', limitFastify(ourLimiter(redisUrl), { user }));
  }
  if (limiter === 'peer') {
    await app.register(fastifyRateLimit, {
      max: unreachable * 60,
      timeWindow: windowMs,
      enableDraftSpec: true,
      keyGenerator: ({ headers }) => String(headers['x-user']),
      ...(redisUrl === undefined ? {} : { redis: new Redis(redisUrl) }),
    });
  }
}

async function serveFastify(limiter: LimiterName, redisUrl: string | undefined): Promise<Server> {
  const app = fastify();
  await addFastifyLimiter(app, limiter, redisUrl);
  app.get('/', async () => body);
  app.get('/items', async () => listItems());
  // As every app with a plugin or a hook boots.
  await app.ready();
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server;
}

/** Only where it was started as a program: the bench imports the names above. */
export async function main(args: readonly string[]): Promise<void> {
  const [framework, limiter, redisUrl] = args as [Framework, LimiterName, string | undefined];
  const serve = framework === 'express' ? serveExpress : serveFastify;
  const address = (await serve(limiter, redisUrl)).address();
  process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
  process.on('message', (wish) => {
    const tell = () => {
      const { user, system } = process.cpuUsage();
      process.send?.(user + system);
    };
    if (wish !== 'collect') return tell();
    setTimeout(() => {
      globalThis.gc?.();
      tell();
    }, atRestMs);
  });
  process.on('disconnect', () => process.exit());
}

if (process.send !== undefined && process.argv[1]?.endsWith('http-servers.js')) {
  await main(process.argv.slice(2));
}
