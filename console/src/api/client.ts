import { isObject, textOf } from '../feed/feed-line.ts';
import { askForToken, session } from './session.ts';

/** An answer of the service that is not the one that was asked for, in words for a person. */
export class ServiceProblem extends Error {
  override readonly name = 'ServiceProblem';
  /** 0 when there was no answer, or not the whole of it. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const TIMEOUT_MS = 15_000;

/**
 * Asks the service. Throws a {@link ServiceProblem} for everything but a 2xx; a 401 ends the session as well.
 *
 * @param path relative to the page, so that the console works below any prefix a proxy puts it under
 */
export async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const { token } = session.get();
  const response = await send(method, path, token, body);
  const answer = await readAnswer(response);
  if (response.ok) return answer;
  // An answer to another token than the present one says nothing about that.
  if (response.status === 401 && session.get().token === token) askForToken(token !== null);
  throw new ServiceProblem(response.status, problemText(response.status, answer));
}

async function send(method: string, path: string, token: string | null, body?: object): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  try {
    return await fetch(new URL(path, document.baseURI), {
      method,
      headers,
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    throw noAnswer(cause, 'The service cannot be reached.');
  }
}

/** @param words for all but an answer that took too long */
function noAnswer(cause: unknown, words: string): ServiceProblem {
  const isSlow = cause instanceof DOMException && cause.name === 'TimeoutError';
  return new ServiceProblem(0, isSlow ? 'The service did not answer in time.' : words);
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw noAnswer(cause, 'The answer of the service was cut off.');
  });
  if (!/json/.test(response.headers.get('content-type') ?? '')) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new ServiceProblem(response.status, 'The answer is not JSON.');
    throw cause;
  }
}

function problemText(status: number, answer: unknown): string {
  const said = isObject(answer) ? (textOf(answer.detail) ?? textOf(answer.title)) : null;
  if (said !== null) return said;
  if (status === 401) return 'The service asks for a token.';
  if (status === 403) return 'This token may not do that.';
  return `The service answered ${status}.`;
}

/** What went wrong, for a person. */
export function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
