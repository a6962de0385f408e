import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A server that answers in every way HTTP has, by what the path says, and tells what it was asked. */
export interface OddUpstream {
  readonly url: string;
  readonly port: number;
  /** Requests that broke off before they were whole. */
  readonly broken: () => number;
  /** Answers whose client went away. */
  readonly left: () => number;
  stop(): Promise<void>;
}

/** How it answers, as JSON in the header `x-answer`. */
export interface OddAnswer {
  readonly status?: number;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
  /** Lengths of the pieces of the body; a pause of some milliseconds where it is negative. */
  readonly pieces?: readonly number[];
  readonly isChunked?: boolean;
  readonly trailers?: readonly [string, string][];
  readonly earlyHint?: string;
  /** How long the head takes. */
  readonly headAfterMs?: number;
  /** Cuts the connection: before the head, or in the middle of the body. */
  readonly cut?: 'head' | 'body';
}

export async function startOddUpstream(): Promise<OddUpstream> {
  let broken = 0;
  let left = 0;
  const server = createServer({ maxHeaderSize: 128 * 1024 }, (request, response) => {
    request.on('error', () => {
      broken += 1;
    });
    response.on('close', () => {
      if (!response.writableFinished) left += 1;
    });
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    broken: () => broken,
    left: () => left,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const header = request.headers['x-answer'];
  const odd = JSON.parse(typeof header === 'string' ? header : '{}') as OddAnswer;
  const seen = createHash('sha256');
  let bytes = 0;
  for await (const chunk of request) {
    seen.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  if (odd.headAfterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, odd.headAfterMs));
  if (odd.cut === 'head') return void request.socket.destroy();
  if (odd.earlyHint !== undefined) await writeHint(response, odd.earlyHint);
  writeHead(request, response, odd, { bytes, sha256: seen.digest('hex') });
  for (const piece of odd.pieces ?? []) {
    if (piece < 0) await new Promise((resolve) => setTimeout(resolve, -piece));
    else if (!response.write(Buffer.alloc(piece, piece % 256)) && !response.destroyed) {
      await drained(response);
    }
    if (odd.cut === 'body') return void request.socket.destroy();
  }
  if (odd.trailers !== undefined) response.addTrailers(odd.trailers as [string, string][]);
  response.end();
}

/** While the answer before it is under way, Node would put the head in front of the hint. */
async function writeHint(response: ServerResponse, link: string): Promise<void> {
  if (response.socket === null) await once(response, 'socket');
  response.writeEarlyHints({ link });
}

/** Until more can be written, or nobody is there to read it. */
async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

/** The head tells what arrived: method, target, headers and the hash of the body. */
function writeHead(
  { method, url, rawHeaders }: IncomingMessage,
  response: ServerResponse,
  { status = 200, headers = [], pieces = [], isChunked = false, trailers }: OddAnswer,
  body: { readonly bytes: number; readonly sha256: string },
): void {
  const seen = JSON.stringify({ method, url, headers: asciiOf(rawHeaders), ...body });
  const length = pieces.reduce((sum, piece) => sum + Math.max(0, piece), 0);
  const hasBody = status !== 204 && status !== 304;
  response.sendDate = false;
  response.writeHead(status, [
    'X-Seen',
    seen,
    'Date',
    'Sun, 06 Nov 1994 08:49:37 GMT',
    ...headers,
    ...(hasBody && !isChunked ? ['Content-Length', String(length)] : []),
    ...(trailers === undefined ? [] : ['Trailer', trailers.map(([name]) => name).join(', ')]),
  ]);
}

const asciiOf = (texts: readonly string[]): string[] => texts.map((text) => encodeURIComponent(text));
