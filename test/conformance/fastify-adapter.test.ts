import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { cap, limit, protect, rateLimitOf, signInOf } from '../../src/adapters/fastify/index.ts';
import { adapterConformance } from './adapter-conformance.ts';
import { type AppUnderTest, chunksOf, HandlerFailure, originOf, reactionTo } from './adapter-under-test.ts';

async function react(app: AppUnderTest, request: FastifyRequest, reply: FastifyReply) {
  const reaction = reactionTo(request.url.slice(app.prefix.length));
  if (reaction.kind === 'throw') throw new HandlerFailure();
  if (reaction.kind === 'late') await app.late();
  if (reaction.kind === 'settle') await rateLimitOf(request)?.settle(reaction.cost);
  if (reaction.kind === 'stream') return reply.send(Readable.from(chunksOf(app, reaction)));
  if (reaction.kind === 'text') return reply.code(reaction.status).send(reaction.body);
  return reply.send('');
}

type Credentials = { readonly account: string; readonly password: string };

function addRoutes(scope: FastifyInstance, app: AppUnderTest): void {
  scope.addHook(
    'onRequest',
    limit(app.limiter, {
      ...app.options,
      user: (request) => request.headers['x-user']?.toString(),
      skip: (request) => request.headers['x-skip'] !== undefined,
    }),
  );
  scope.addHook('preHandler', cap(app.caps, { basePath: app.options.basePath }));
  const preHandler = protect(app.guard, {
    account: (request) => (request.body as Credentials).account,
    verify: (request) => {
      const { account, password } = request.body as Credentials;
      return app.verify(account, password);
    },
    devices: app.devices,
  });
  scope.post('/login', { preHandler }, async (request) => signInOf(request)?.value);
  scope.all('/*', (request, reply) => react(app, request, reply));
}

adapterConformance({
  name: 'Fastify',
  protocols: ['http1', 'http2'],
  serve: async (app) => {
    const server = (
      app.protocol === 'http1' ? fastify({ forceCloseConnections: true }) : fastify({ http2: true })
    ) as FastifyInstance;
    await server.register(
      (scope, _options, done) => {
        addRoutes(scope, app);
        done();
      },
      { prefix: app.prefix },
    );
    await server.listen({ host: '127.0.0.1', port: 0 });
    return { origin: originOf(server.server), close: () => server.close() };
  },
});
