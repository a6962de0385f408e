import type { Guard } from '../guard/guard.ts';
import { assertProtect } from './gate-options.ts';
import {
  arrivalOfNode,
  type NodeRequest,
  type NodeResponse,
  sendAnswer,
  setHeaders,
} from './node-messages.ts';
import { type Next, type RefusalHandler, refuseBy } from './node-middleware.ts';
import { type ProtectOptions, type SignIn, type SignInDenial, SignInGate } from './sign-in-gate.ts';
import { errorOf } from './thrown.ts';

/** How a sign-in is protected where requests and responses are Node's. */
export interface NodeProtectOptions<Req extends NodeRequest, Res extends NodeResponse, T>
  extends ProtectOptions<[request: Req, response: Res], T> {
  /** Answers a sign-in that is not let through. Default: 429, 401 or 400 with the problem as JSON. */
  readonly handler?: RefusalHandler<Req, Res, SignInDenial> | undefined;
}

/** Middleware as Connect had it. `next` runs for a sign-in that succeeded; {@link signInOf} tells whose it was. */
export function protectNode<Req extends NodeRequest, Res extends NodeResponse, T>(
  guard: Guard,
  options: NodeProtectOptions<Req, Res, T>,
): (request: Req, response: Res, next: Next) => void {
  assertProtect(guard, options, { handler: 'function' });
  const gate = new SignInGate<[Req, Res], T>(guard, options);
  const { handler = deny } = options;
  return (request, response, next) => {
    void gate.pass(arrivalOfNode(request, response), request, response).then(
      (passage) => {
        if (!passage.allowed) return refuseBy(handler, request, response, next, passage);
        setHeaders(response, passage.headers);
        (request as { signIn?: SignIn<T> }).signIn = passage.signIn;
        next();
      },
      (error) => next(errorOf(error)),
    );
  };
}

function deny(_request: NodeRequest, response: NodeResponse, _next: Next, { answer }: SignInDenial): void {
  sendAnswer(response, answer);
}

/** The sign-in that led to this handler; undefined where none did. `T` is what `verify` resolves to. */
export function signInOf<T>(request: object): SignIn<T> | undefined {
  return 'signIn' in request ? (request.signIn as SignIn<T>) : undefined;
}
