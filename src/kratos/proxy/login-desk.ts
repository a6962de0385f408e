import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOver, onceClosed } from '../../connections/response-close.ts';
import type { LoginAttempt, LoginBackoff } from '../login-backoff.ts';
import { type LoginForm, mostIdentifiers, readLoginForm } from '../login-form.ts';
import type { Allowed, Blocked } from '../verdict.ts';
import { answerFailure, type ProblemName, sendLockout, sendProblem } from './answers.ts';
import type { AnswerJudge, ExchangeFailure } from './exchange.ts';
import { requestHeaders, valuesOf } from './headers.ts';
import { type BodyReading, LoginBodies, unpacked } from './login-body.ts';
import { needsBody, outcomeOf } from './outcome.ts';
import type { Target } from './target.ts';
import type { Upstream } from './upstream.ts';

/** What the desk for logins works with. */
export interface LoginDeskParts {
  readonly upstream: Upstream;
  readonly backoff: LoginBackoff;
  readonly lockoutPath: string;
  readonly sessionCookie: string;
  readonly onFailure: (failure: ExchangeFailure) => void;
  readonly onFault: (error: unknown) => void;
  /** Default: with room for 64 MiB of logins. */
  readonly bodies?: LoginBodies | undefined;
}

/** Takes submitted logins: reads them, has them judged, sends them on and learns how they end. */
export class LoginDesk {
  readonly #parts: LoginDeskParts;
  readonly #bodies: LoginBodies;

  constructor(parts: LoginDeskParts) {
    this.#parts = parts;
    this.#bodies = parts.bodies ?? new LoginBodies();
  }

  async take(
    request: IncomingMessage,
    response: ServerResponse,
    target: Target,
    clientIp: string,
  ): Promise<void> {
    const body = await this.#bodies.read(request);
    if (typeof body === 'string') return refuseBody(request, response, body);
    if (isOver(response)) return this.#bodies.release(body);
    onceClosed(response, () => this.#bodies.release(body));
    const form = await readForm(request, body, target.query);
    if (typeof form === 'string') return sendProblem(response, form);
    const login: LoginAttempt = { ...form, ip: clientIp, ua: request.headers['user-agent'] ?? null };
    const verdict = await this.#parts.backoff.attempt(login);
    if (!verdict.allowed) return sendLockout(request, response, verdict, this.#parts.lockoutPath);
    this.#sendOn({ request, response, target, body, login, verdict });
  }

  #sendOn(admitted: AdmittedLogin): void {
    const { request, response, target, body, login } = admitted;
    const headers = requestHeaders(request.rawHeaders, login.ip ?? '', false);
    const judge = this.#judgeOf(admitted);
    this.#parts.upstream.send(
      request,
      response,
      { path: target.path, headers, body },
      { judge, onFailure: (failure, hasBegun) => this.#failed(admitted, failure, hasBegun) },
    );
  }

  #judgeOf({ request, response, login, verdict }: AdmittedLogin): AnswerJudge {
    const { backoff, sessionCookie } = this.#parts;
    return {
      needsBody: (head) => needsBody(head, sessionCookie),
      judge: (head, bodyStart) => {
        const outcome = outcomeOf(head, sessionCookie, bodyStart?.toString('latin1') ?? '');
        const settled = backoff.settle(login, verdict, outcome);
        return settled === null ? true : this.#conclude(settled, request, response);
      },
    };
  }

  /** Whether the answer goes on. An outcome that cannot be noted would be an attempt for free, so it does not. */
  async #conclude(
    settled: Promise<Blocked | null>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    try {
      const refused = await settled;
      if (refused === null) return true;
      sendLockout(request, response, refused, this.#parts.lockoutPath);
    } catch (error) {
      this.#parts.onFault(error);
      sendProblem(response, 'fault');
    }
    return false;
  }

  /** What Kratos never got was no attempt; what it got and did not answer in time was one. */
  #failed({ response, login, verdict }: AdmittedLogin, failure: ExchangeFailure, hasBegun: boolean): void {
    const { backoff, onFailure, onFault } = this.#parts;
    onFailure(failure);
    const isUndelivered = !hasBegun && undelivered.has(failure);
    const settled = isUndelivered ? backoff.settle(login, verdict, 'undelivered') : null;
    const taken = settled ?? Promise.resolve(null);
    taken.catch(onFault).finally(() => answerFailure(response, failure, hasBegun));
  }
}

const undelivered: ReadonlySet<ExchangeFailure> = new Set(['unreachable', 'invalid', 'crowded']);

/** What a login says, or why it cannot be taken. */
async function readForm(
  request: IncomingMessage,
  body: Buffer,
  query: string,
): Promise<LoginForm | ProblemName> {
  const { headers, rawHeaders } = request;
  const read = await unpacked(body, headers['content-encoding']);
  if (read === 'unknown') return 'encoding';
  if (read === 'too-large') return 'tooLarge';
  const [type = null, ...others] = valuesOf(rawHeaders, 'content-type');
  const form = readLoginForm(read, others.length === 0 ? type : null, query);
  if (form === null) return 'badRequest';
  return form.identifiers.length > mostIdentifiers ? 'tooManyIdentifiers' : form;
}

/** What is left of the body is read over, so that the client hears the answer. */
function refuseBody(
  request: IncomingMessage,
  response: ServerResponse,
  reading: Exclude<BodyReading, Buffer>,
): void {
  if (reading === 'gone') return;
  sendProblem(response, reading === 'busy' ? 'busy' : 'tooLarge');
  request.resume();
}

interface AdmittedLogin {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  readonly body: Buffer;
  readonly login: LoginAttempt;
  readonly verdict: Allowed;
}
