import { createServer } from 'node:http';
import express, { type Request, type Response } from 'express';
import { cap, limit, protect, rateLimitOf, signInOf } from '../../src/adapters/express/index.ts';
import { adapterConformance } from './adapter-conformance.ts';
import { type AppUnderTest, chunksOf, HandlerFailure, listen, reactionTo } from './adapter-under-test.ts';

async function react(app: AppUnderTest, request: Request, response: Response): Promise<void> {
  const reaction = reactionTo(request.url);
  if (reaction.kind === 'throw') throw new HandlerFailure();
  if (reaction.kind === 'late') await app.late();
  if (reaction.kind === 'settle') await rateLimitOf(request)?.settle(reaction.cost);
  if (reaction.kind === 'stream') for await (const chunk of chunksOf(app, reaction)) response.write(chunk);
  if (reaction.kind === 'text') response.status(reaction.status).send(reaction.body);
  else response.end();
}

function applicationOf(app: AppUnderTest) {
  const router = express.Router();
  router.use(
    limit(app.limiter, {
      ...app.options,
      user: (request) => request.get('x-user'),
      skip: (request) => request.get('x-skip') !== undefined,
    }),
  );
  router.use(cap(app.caps, { basePath: app.options.basePath }));
  router.post(
    '/login',
    express.json(),
    protect(app.guard, {
      account: (request) => request.body.account,
      verify: (request) => app.verify(request.body.account, request.body.password),
      devices: app.devices,
    }),
    (request, response) => {
      response.json(signInOf(request)?.value);
    },
  );
  router.use((request, response) => react(app, request, response));
  const application = express();
  // Otherwise Express prints the errors that handlers throw.
  application.set('env', 'test');
  application.use(app.prefix === '' ? '/' : app.prefix, router);
  return application;
}

adapterConformance({
  name: 'Express',
  // Express has no HTTP/2 of its own.
  protocols: ['http1'],
  serve: (app) => listen(createServer(applicationOf(app))),
});
