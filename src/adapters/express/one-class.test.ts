import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import express, { type Request, type RequestHandler } from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { createLimiter } from '../../limits/index.ts';
import { createMemoryStore } from '../../stores/memory/index.ts';
import { limit } from './index.ts';

/** Asks V8 itself: nothing that a program can see tells how an object keeps its properties. */
setFlagsFromString('--allow-natives-syntax');
const hasTable = runInNewContext('(object) => !%HasFastProperties(object)') as (object: object) => boolean;

const losesClasses = Number.parseInt(process.versions.v8, 10) < 13;

const limited = () =>
  limit(createLimiter({ store: createMemoryStore(), secret: 'sixteen bytes or more', ratePerSecond: 100 }));

/** What a handler behind these sees of one request. */
async function seenBehind<T>(middleware: RequestHandler[], look: (request: Request) => T): Promise<T> {
  const app = express();
  for (const each of middleware) app.use(each);
  const seen = new Promise<T>((resolve) => {
    app.get('/', (request, response) => {
      resolve(look(request));
      response.json({});
    });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).text();
  return seen;
}

const haveTables = (request: Request) => [hasTable(request), hasTable(request.res as object)];
const passOn: RequestHandler = (_, __, next) => next();
const names = (request: Request) => [Reflect.ownKeys(request), Reflect.ownKeys(request.res as object)];

it('keeps requests and responses in tables where V8 would make a class of each', async () => {
  expect(await seenBehind([limited()], haveTables)).toEqual([losesClasses, losesClasses]);
  expect(await seenBehind([limited(), limited()], haveTables)).toEqual([losesClasses, losesClasses]);
});

it('has something to mend: without it they have classes of their own', async () => {
  expect(await seenBehind([passOn], haveTables)).toEqual([false, false]);
});

it('leaves no property behind, and none in another place', async () => {
  const [request, response] = await seenBehind([passOn], names);
  const [limitedRequest, limitedResponse] = await seenBehind([limited()], names);
  expect(limitedRequest?.filter((name) => name !== 'rateLimit')).toEqual(request);
  expect(limitedResponse).toEqual(response);
});
