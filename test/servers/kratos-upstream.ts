import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** Somebody who can sign in. */
export interface KratosIdentity {
  readonly email: string;
  readonly password: string;
}

/** A server that answers as the public API of Ory Kratos does, as far as signing in goes. */
export interface KratosUpstream {
  readonly url: string;
  readonly port: number;
  /** Logins that were submitted, in their order. */
  readonly submitted: readonly SubmittedLogin[];
  stop(): Promise<void>;
}

/** A login as Kratos has understood it. */
export interface SubmittedLogin {
  readonly identifier: string;
  readonly method: string;
  readonly clientIp: string | undefined;
  readonly accepted: boolean;
}

interface Flow {
  readonly id: string;
  readonly type: 'api' | 'browser';
  readonly csrfToken: string;
  readonly returnTo: string;
  readonly expiresAt: number;
}

const uiUrl = 'http://127.0.0.1:4455/login';
const errorUrl = 'http://127.0.0.1:4455/error';
const sessionCookie = 'ory_kratos_session';
const csrfCookie = `csrf_token_${createHash('sha256').update('kratos').digest('hex')}`;
const flowMs = 3_600_000;

/** Starts it on a free port of the loopback. */
export async function startKratosUpstream(
  identities: readonly KratosIdentity[] = [],
  port = 0,
): Promise<KratosUpstream> {
  const kratos = new Kratos(identities);
  const server = createServer((request, response) => {
    kratos.answer(request, response).catch((error: unknown) => {
      writeError(response, 500, 'Internal Server Error', String(error));
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    submitted: kratos.submitted,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

class Kratos {
  readonly submitted: SubmittedLogin[] = [];
  readonly #identities: ReadonlyMap<string, KratosIdentity>;
  readonly #flows = new Map<string, Flow>();
  readonly #sessions = new Map<string, string>();

  constructor(identities: readonly KratosIdentity[]) {
    this.#identities = new Map(identities.map((identity) => [normalised(identity.email), identity]));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<ServerResponse> {
    const url = new URL(`http://kratos${request.url}`);
    response.setHeader('Cache-Control', 'private, no-cache, no-store, must-revalidate');
    response.appendHeader('Vary', 'Origin');
    response.appendHeader('Vary', 'Cookie');
    const path = url.pathname.replace(/\/+$/, '');
    const route = `${request.method} ${path}`;
    if (route === 'GET /self-service/login/api') return this.#createFlow(request, response, url, 'api');
    if (route === 'GET /self-service/login/browser')
      return this.#createFlow(request, response, url, 'browser');
    if (route === 'GET /self-service/login/flows') return this.#showFlow(request, response, url);
    if (route === 'POST /self-service/login') return this.#submit(request, response, url);
    if (route === 'GET /sessions/whoami') return this.#whoAmI(request, response);
    if (route === 'DELETE /self-service/logout/api') return this.#logOut(request, response);
    if (path === '/health/alive' || path === '/health/ready')
      return writeJson(response, 200, { status: 'ok' });
    if (route === 'GET /schemas') return writeJson(response, 200, [{ id: 'default', schema: {} }]);
    if (route === 'GET /.well-known/ory/webauthn.js') return writeScript(response);
    return writeError(response, 404, 'Not Found', 'The requested resource could not be found');
  }

  #createFlow(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    type: Flow['type'],
  ): ServerResponse {
    const flow: Flow = {
      id: randomUUID(),
      type,
      csrfToken: type === 'browser' ? randomBytes(64).toString('base64') : '',
      returnTo: url.searchParams.get('return_to') ?? 'http://127.0.0.1:4455/',
      expiresAt: Date.now() + flowMs,
    };
    this.#flows.set(flow.id, flow);
    if (type === 'browser') {
      response.appendHeader(
        'Set-Cookie',
        `${csrfCookie}=${flow.csrfToken}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`,
      );
      if (!wantsJson(request)) return redirect(response, `${uiUrl}?flow=${flow.id}`);
    }
    return writeJson(response, 200, flowBody(flow, request, null));
  }

  #showFlow(request: IncomingMessage, response: ServerResponse, url: URL): ServerResponse {
    const flow = this.#flows.get(url.searchParams.get('id') ?? '');
    if (flow === undefined) return writeError(response, 404, 'Not Found', 'Unable to locate the resource');
    if (flow.type === 'browser' && cookieIn(request, csrfCookie) !== flow.csrfToken) {
      return writeError(
        response,
        403,
        'Forbidden',
        'The request was rejected to protect you from CSRF',
        'security_csrf_violation',
      );
    }
    return writeJson(response, 200, flowBody(flow, request, null));
  }

  async #submit(request: IncomingMessage, response: ServerResponse, url: URL): Promise<ServerResponse> {
    const fields = fieldsIn(request, await text(request));
    const flow = this.#flows.get(url.searchParams.get('flow') ?? '');
    if (flow === undefined) return this.#refuseFlow(request, response);
    if (flow.expiresAt < Date.now()) {
      return writeError(
        response,
        410,
        'Gone',
        'The self-service flow has expired',
        'self_service_flow_expired',
      );
    }
    if (fields === null) return writeError(response, 400, 'Bad Request', 'Unable to decode body');
    if (flow.type === 'browser' && (fields.csrf_token ?? '') !== flow.csrfToken)
      return this.#refuseCsrf(request, response);
    if (fields.method === 'oidc') {
      const body = {
        error: { id: 'browser_location_change_required', code: 422, status: 'Unprocessable Entity' },
      };
      return writeJson(response, 422, { ...body, redirect_browser_to: 'https://provider.example/authorize' });
    }
    return this.#judge(request, response, flow, fields);
  }

  #judge(request: IncomingMessage, response: ServerResponse, flow: Flow, fields: Fields): ServerResponse {
    const identifier = normalised(fields.identifier || fields.password_identifier || fields.address || '');
    const identity = this.#identities.get(identifier);
    const accepted =
      identity !== undefined && fields.method === 'password' && fields.password === identity.password;
    const header = request.headers['true-client-ip'];
    this.submitted.push({
      identifier,
      method: fields.method ?? '',
      clientIp: Array.isArray(header) ? header[0] : header,
      accepted,
    });
    if (!accepted) return this.#refuseLogin(request, response, flow);
    const token = randomBytes(24).toString('base64url');
    this.#sessions.set(token, identifier);
    const session = sessionBody(identifier);
    if (flow.type === 'api') return writeJson(response, 200, { session_token: `ory_st_${token}`, session });
    response.appendHeader(
      'Set-Cookie',
      `${csrfCookie}=${flow.csrfToken}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`,
    );
    response.appendHeader(
      'Set-Cookie',
      `${sessionCookie}=${token}; Path=/; Max-Age=86399; HttpOnly; SameSite=Lax`,
    );
    if (wantsJson(request)) return writeJson(response, 200, { session });
    return redirect(response, flow.returnTo);
  }

  #refuseLogin(request: IncomingMessage, response: ServerResponse, flow: Flow): ServerResponse {
    if (flow.type === 'browser' && !wantsJson(request)) return redirect(response, `${uiUrl}?flow=${flow.id}`);
    const message = {
      id: 4000006,
      text: 'The provided credentials are invalid, check for spelling mistakes in your password or username, email address, or phone number.',
      type: 'error',
    };
    return writeJson(response, 400, flowBody(flow, request, message));
  }

  #refuseFlow(request: IncomingMessage, response: ServerResponse): ServerResponse {
    if (!wantsJson(request)) return redirect(response, `${errorUrl}?id=${randomUUID()}`);
    return writeError(response, 404, 'Not Found', 'Unable to locate the resource');
  }

  #refuseCsrf(request: IncomingMessage, response: ServerResponse): ServerResponse {
    if (!wantsJson(request)) return redirect(response, `${errorUrl}?id=${randomUUID()}`);
    return writeError(
      response,
      403,
      'Forbidden',
      'The request was rejected to protect you from CSRF',
      'security_csrf_violation',
    );
  }

  #whoAmI(request: IncomingMessage, response: ServerResponse): ServerResponse {
    const email = this.#sessions.get(tokenIn(request));
    if (email === undefined) {
      return writeError(
        response,
        401,
        'Unauthorized',
        'No valid session credentials found in the request.',
        'session_inactive',
      );
    }
    response.setHeader('X-Kratos-Authenticated-Identity-Id', idOf(email));
    return writeJson(response, 200, sessionBody(email));
  }

  #logOut(request: IncomingMessage, response: ServerResponse): ServerResponse {
    this.#sessions.delete(tokenIn(request));
    return response.writeHead(204).end();
  }
}

type Fields = Readonly<Record<string, string>>;

/** As `decoderx` reads a body: of equal names in JSON the last, in a form the first, and nothing after the first value. */
function fieldsIn(request: IncomingMessage, body: string): Fields | null {
  const type = request.headers['content-type'] ?? '';
  if (hasType(type, 'application/json')) {
    const value = jsonIn(body);
    if (value === null) return null;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, textOf(field)]));
  }
  if (hasType(type, 'application/x-www-form-urlencoded')) {
    return Object.fromEntries([...new URLSearchParams(body)].reverse());
  }
  return hasType(type, 'multipart/form-data') ? multipartIn(type, body) : null;
}

const hasType = (header: string, type: string): boolean =>
  header.split(',').some((one) => one.split(';', 1)[0]?.trim().toLowerCase() === type);

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

/** The object that a text begins with. */
function jsonIn(body: string): object | null {
  for (let end = body.indexOf('}'); end >= 0; end = body.indexOf('}', end + 1)) {
    try {
      const value: unknown = JSON.parse(body.slice(0, end + 1));
      return typeof value === 'object' ? value : null;
    } catch {
      // The object goes on after this brace.
    }
  }
  return null;
}

function multipartIn(type: string, body: string): Fields | null {
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  if (boundary === undefined) return null;
  const parts = body.split(`--${boundary}`).slice(1, -1);
  const fields = parts.flatMap((part) => {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const name = /name="([^"]*)"/.exec(head)?.[1];
    return name === undefined ? [] : [[name, rest.join('\r\n\r\n').replace(/\r\n$/, '')]];
  });
  return Object.fromEntries(fields.reverse()) as Fields;
}

const normalised = (identifier: string): string =>
  identifier
    .replace(/\p{Cf}/gu, '')
    .normalize('NFKC')
    .trim()
    .toLowerCase();

const wantsJson = ({ headers }: IncomingMessage): boolean =>
  !/text\/html/.test(headers.accept ?? '') && headers.accept !== undefined;

function cookieIn({ headers }: IncomingMessage, name: string): string | undefined {
  const cookies = (headers.cookie ?? '').split(/;\s*/);
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

function tokenIn(request: IncomingMessage): string {
  const [, bearer] = /^bearer (?:ory_st_)?(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const token = request.headers['x-session-token'];
  const header = typeof token === 'string' ? token.replace(/^ory_st_/, '') : undefined;
  return bearer ?? header ?? cookieIn(request, sessionCookie) ?? '';
}

const idOf = (email: string): string => {
  const hex = createHash('sha256').update(email).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

function sessionBody(email: string): object {
  return {
    id: randomUUID(),
    active: true,
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    authenticated_at: new Date().toISOString(),
    authenticator_assurance_level: 'aal1',
    authentication_methods: [{ method: 'password', aal: 'aal1', completed_at: new Date().toISOString() }],
    identity: { id: idOf(email), schema_id: 'default', state: 'active', traits: { email } },
  };
}

function flowBody(flow: Flow, request: IncomingMessage, message: object | null): object {
  const node = (name: string, type: string, value?: string) => ({
    type: 'input',
    group: name === 'csrf_token' ? 'default' : 'password',
    attributes: { name, type, value, required: name !== 'method', disabled: false, node_type: 'input' },
    messages: [],
    meta: {},
  });
  return {
    id: flow.id,
    type: flow.type,
    expires_at: new Date(flow.expiresAt).toISOString(),
    issued_at: new Date(flow.expiresAt - flowMs).toISOString(),
    request_url: `http://${request.headers.host}/self-service/login/${flow.type}`,
    ui: {
      action: `http://${request.headers.host}/self-service/login?flow=${flow.id}`,
      method: 'POST',
      nodes: [
        node('csrf_token', 'hidden', flow.csrfToken),
        node('identifier', 'text'),
        node('password', 'password'),
        node('method', 'submit', 'password'),
      ],
      ...(message === null ? {} : { messages: [message] }),
    },
    refresh: false,
    requested_aal: 'aal1',
    state: 'choose_method',
  };
}

function redirect(response: ServerResponse, location: string): ServerResponse {
  const body = `<a href="${location}">See Other</a>.\n\n`;
  return response
    .writeHead(303, { Location: location, 'Content-Type': 'text/html; charset=utf-8' })
    .end(body);
}

function writeScript(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'Content-Type': 'text/javascript; charset=UTF-8' });
  return response.end(`(function () {\n${'  // webauthn\n'.repeat(2_000)}})();\n`);
}

function writeJson(response: ServerResponse, status: number, body: unknown): ServerResponse {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
  return response.end(`${JSON.stringify(body)}\n`);
}

function writeError(
  response: ServerResponse,
  code: number,
  status: string,
  reason: string,
  id?: string,
): ServerResponse {
  return writeJson(response, code, {
    error: { ...(id === undefined ? {} : { id }), code, status, reason, message: reason },
  });
}
