import { visitFormFields } from './form-fields.ts';
import { isPlainSpelling, normaliseIdentifier } from './identifier.ts';
import { visitJsonFields } from './json-fields.ts';
import { visitMultipartFields } from './multipart-fields.ts';

/** What a login may be a guess at. */
export type LoginGuess = 'password' | 'code';

/** What a submitted login says, as far as backoff needs to know. */
export interface LoginForm {
  /** Every account it names, normalised, each once, in the order of the fields. Mostly one. */
  readonly identifiers: readonly string[];
  /**
   * What may be guessed, each once: a one-time code, or a password or another lasting credential. Both where who comes after us
   * may read it as either: a field that is beside the point must not choose what counts.
   */
  readonly guesses: readonly LoginGuess[];
  /** Whether something is guessed at all. To be sent a code, or to name an account first, is no attempt at it. */
  readonly hasCredential: boolean;
  /** Whether a success proves that the one identifier is the caller's: a plain password login and nothing beside it. */
  readonly provesIdentifier: boolean;
}

/** The body of a login as it arrived, before anybody reads a form in it. */
export interface LoginBody {
  /** As it is and, where it is packed, what is inside: who comes after us may unpack it or not. */
  readonly readings: readonly Buffer[];
  readonly isPacked: boolean;
}

/** The most accounts a login is read for; nobody has a reason to name more. */
export const mostIdentifiers = 4;

/**
 * The most ways to write them. A login of people has one, and a few more where its body is read in several ways; to bring each to the
 * form of its account takes far longer than to read it, and a body has room for a hundred thousand.
 */
const mostSpellings = 64;

/** Kratos takes the identifier from these: by password, by password in old clients, by code. */
const identifierNames = new Set(['identifier', 'password_identifier', 'address']);
const codeNames = new Set(['code', 'totp_code', 'lookup_secret']);
const credentialNames = new Set([...codeNames, 'password', 'webauthn_login', 'passkey_login']);
const codeMethods = new Set(['code', 'totp', 'lookup_secret']);
/** An object of the host's own. */
const payloadName = 'transient_payload';
/** Any other field could make another method the one that succeeds, with another account. */
const plainLoginNames = new Set([
  'method',
  'identifier',
  'password_identifier',
  'password',
  'csrf_token',
  'flow',
  payloadName,
]);

/** Of a body that cannot be read nothing is known, so the worst is assumed. */
export const unreadableForm: LoginForm = {
  identifiers: [],
  guesses: ['password'],
  hasCredential: true,
  provesIdentifier: false,
};

/**
 * Reads a login. A body of a plain `Content-Type` is read as that; any other as everybody could who comes after us: as
 * JSON, as a form and as a form of parts, and what one reading finds, counts. So does the query. Names count in any
 * case, as in Go. An attempt that names several accounts is one at each of them.
 *
 * @param contentType the header as it came; null when there is none, or more than one
 * @param query of the request, without its question mark, a character for each byte
 * @returns null where it is made to be read in too many ways
 */
export function readLoginForm(
  { readings, isPacked }: LoginBody,
  contentType: string | null,
  query: string,
): LoginForm | null {
  const reader = new FormReader(isPacked);
  const kind = kindOf(contentType);
  const mayBe = (one: BodyKind): boolean => kind === null || kind === one;
  let isJson = false;
  for (const bytes of readings) {
    if (mayBe('json')) isJson = visitJsonFields(bytes.toString('utf8'), reader.visit) || isJson;
    if (mayBe('multipart') && !visitMultipartFields(bytes.toString('latin1'), reader.visit)) return null;
    if (mayBe('form')) visitFormFields(bytes.toString('latin1'), reader.visit);
  }
  visitFormFields(query, reader.visitQuery);
  if (reader.hasTooManySpellings) return null;
  return isJson || reader.hasKnownField ? reader.form() : unreadableForm;
}

type BodyKind = 'json' | 'form' | 'multipart';

/** Null where readers could disagree: no header, an unknown type, or several types in one. */
function kindOf(contentType: string | null): BodyKind | null {
  if (contentType === null || contentType.includes(',')) return null;
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/json') return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type === 'multipart/form-data' ? 'multipart' : null;
}

class FormReader {
  readonly #identifiers = new Set<string>();
  /** The identifiers before they were normalised. */
  readonly #spellings = new Set<string>();
  readonly #methods = new Set<string>();
  #hasCode = false;
  #hasPassword = false;
  #hasCredential = false;
  #isPlain: boolean;
  #hasKnownField = false;

  /** @param isPacked nobody can tell which of two readings has signed in: none of them proves anything */
  constructor(isPacked: boolean) {
    this.#isPlain = !isPacked;
  }

  get hasKnownField(): boolean {
    return this.#hasKnownField;
  }

  get hasTooManySpellings(): boolean {
    return this.#spellings.size > mostSpellings;
  }

  readonly visit = (name: string, value: string): void => {
    const folded = foldedName(name);
    if (!plainLoginNames.has(folded)) this.#isPlain = false;
    if (folded === payloadName) this.#readPayload(value);
    this.#note(folded, value);
  };

  /** The query has fields of its own, which say nothing about who is signing in. */
  readonly visitQuery = (name: string, value: string): void => {
    const folded = foldedName(name);
    if (identifierNames.has(folded)) this.#note(folded, value);
  };

  form(): LoginForm {
    const methods = [...this.#methods];
    return {
      identifiers: [...this.#identifiers],
      guesses: this.#guesses(methods),
      hasCredential: this.#hasCredential,
      provesIdentifier:
        this.#isPlain && this.#identifiers.size === 1 && methods.length === 1 && methods[0] === 'password',
    };
  }

  #guesses(methods: readonly string[]): readonly LoginGuess[] {
    const isCode = this.#hasCode || methods.some((method) => codeMethods.has(method));
    const isPassword = this.#hasPassword || methods.some((method) => !codeMethods.has(method));
    if (!isCode) return ['password'];
    return isPassword ? ['password', 'code'] : ['code'];
  }

  /** Kratos puts it into the JSON of the login as it is: what follows the end of the object are fields of the login. */
  #readPayload(value: string): void {
    if (this.#isPlain && !isJsonObject(value)) this.#isPlain = false;
    visitJsonFields(`{"${payloadName}":${value}}`, (name, inner) => this.#note(foldedName(name), inner));
  }

  #note(name: string, value: string): void {
    if (identifierNames.has(name)) this.#noteIdentifier(value);
    else if (credentialNames.has(name)) this.#noteCredential(name, value);
    else if (name !== 'method') return;
    else if (this.#methods.size < 2) this.#methods.add(value);
    this.#hasKnownField = true;
  }

  /** One more than is read is kept, so that too many can be told from many. */
  #noteIdentifier(value: string): void {
    if (this.#identifiers.size > mostIdentifiers || this.hasTooManySpellings) return;
    if (this.#spellings.has(value)) return;
    this.#spellings.add(value);
    const identifier = normaliseIdentifier(value);
    if (!isPlainSpelling(value, identifier)) this.#isPlain = false;
    if (identifier !== '') this.#identifiers.add(identifier);
  }

  #noteCredential(name: string, value: string): void {
    if (value === '') return;
    this.#hasCredential = true;
    if (codeNames.has(name)) this.#hasCode = true;
    else this.#hasPassword = true;
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** As Go compares names of fields: the long s is an s, the sign of Kelvin a k. */
function foldedName(name: string): string {
  return name.toUpperCase().toLowerCase();
}
