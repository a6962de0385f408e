import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RouteAnswer } from '../route.ts';

/** On what a browser could show: nothing here is to be kept by caches or guessed at. */
const forReaders = ['X-Content-Type-Options', 'nosniff'] as const;
const notKept = ['Cache-Control', 'no-store'] as const;

const jsonType = 'application/json; charset=utf-8';

const jsonHeaders = { 'Content-Type': jsonType };

/** An answer whose text is JSON already. */
export const jsonText = (body: string): RouteAnswer => ({ status: 200, headers: jsonHeaders, body });

/** What goes along with an answer whatever it is. */
export interface SendOptions {
  /** What the client sent, to be echoed, unless the answer names its request itself. */
  readonly requestId: string | null;
  /** Ends the connection after this answer: a body was left unread, or the service drains. */
  readonly close: boolean;
}

/** Sends an answer. Null when all of it is handed over; of a stream, a promise that rejects when it breaks. */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: RouteAnswer,
  options: SendOptions,
): Promise<void> | null {
  const { status, body, headers = {} } = answer;
  const fields: (string | number)[] = [];
  for (const name in headers) fields.push(name, headers[name] ?? '');
  if (request.method !== 'POST') {
    if (headers['Cache-Control'] === undefined) fields.push(...notKept);
    fields.push(...forReaders);
  }
  if (options.requestId !== null && headers['X-Request-Id'] === undefined)
    fields.push('X-Request-Id', options.requestId);
  if (options.close) fields.push('Connection', 'close');
  if (body instanceof Readable) return sendStream(response, status, fields, body, request.method === 'HEAD');
  const payload = payloadOf(body);
  if (isOwnJson(body) && headers['Content-Type'] === undefined) fields.push('Content-Type', jsonType);
  if (status !== 204 && status !== 304) fields.push('Content-Length', Buffer.byteLength(payload));
  response.writeHead(status, fields);
  if (request.method === 'HEAD') response.end();
  else sendPayload(response, payload);
  return null;
}

/**
 * Hands head and text to the socket as one piece. `end` alone would append an empty second one, for which node:http takes
 * a longer way to the same system call.
 */
function sendPayload(response: ServerResponse, payload: string | Uint8Array): void {
  const { socket } = response;
  // An answer that waits for those before it on its connection has no socket yet.
  if (socket === null || typeof payload !== 'string' || payload === '') {
    response.end(payload);
    return;
  }
  socket.cork();
  response.write(payload);
  socket.uncork();
  response.end();
}

function isOwnJson(body: RouteAnswer['body']): boolean {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

function payloadOf(body: RouteAnswer['body']): string | Uint8Array {
  if (body === undefined) return '';
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

async function sendStream(
  response: ServerResponse,
  status: number,
  fields: (string | number)[],
  body: Readable,
  headOnly: boolean,
): Promise<void> {
  response.writeHead(status, fields);
  if (headOnly) {
    body.destroy();
    response.end();
    return;
  }
  response.flushHeaders();
  await pipeline(body, response);
}
