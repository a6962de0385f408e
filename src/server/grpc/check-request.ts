import type { ClientAddress } from '../../adapters/client-address.ts';
import { Fault } from '../../core/fault.ts';
import type { Call } from '../../limits/index.ts';

/** `CheckRequest`, as it comes off the wire: absent messages are null, absent scalars their default. */
export interface CheckRequestMessage {
  readonly attributes: AttributesMessage | null;
}

interface AttributesMessage {
  readonly source: {
    readonly address: { readonly socket_address: { readonly address: string } | null } | null;
  } | null;
  readonly request: { readonly http: HttpRequestMessage | null } | null;
  readonly context_extensions: Readonly<Record<string, string>>;
}

interface HttpRequestMessage {
  readonly id: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly header_map: { readonly headers: readonly HeaderMessage[] } | null;
}

interface HeaderMessage {
  readonly key: string;
  readonly value: string;
  readonly raw_value: Uint8Array;
}

/** A call behind a proxy, with what its answer needs. */
export interface CheckedCall extends Call {
  readonly header: (name: string) => string | undefined;
}

/** How calls are read. */
export interface CheckReading {
  readonly addressOf: ClientAddress;
  /** The header in which the proxy tells the id of a signed-in user, in lower case; null: nobody is signed in. */
  readonly userHeader: string | null;
}

/**
 * The call a proxy asks about. Its client is the peer of the proxy, or, where that is a trusted one, who the forwarding
 * header names.
 *
 * @throws Fault `INPUT_INVALID` when the proxy sent no HTTP request.
 */
export function readCheckRequest(
  { attributes }: CheckRequestMessage,
  { addressOf, userHeader }: CheckReading,
): CheckedCall {
  const http = attributes?.request?.http ?? null;
  const method = http?.method.toUpperCase() ?? '';
  // A tunnel has no path. To refuse to judge it would be to let it pass: Envoy goes on without an answer.
  const path = http?.path || (method === 'CONNECT' ? '/' : '');
  if (attributes === null || http === null || method === '' || path === '') {
    throw new Fault('INPUT_INVALID', 'attributes.request.http must have a method and a path');
  }
  const header = headersOf(http);
  const cost = costOf(attributes.context_extensions);
  return {
    method,
    path,
    ip: addressOf(attributes.source?.address?.socket_address?.address, header),
    ua: header('user-agent'),
    user: userHeader === null ? null : header(userHeader),
    header,
    ...(cost === null ? {} : { cost }),
  };
}

/** Envoy sends headers as a map, or, where it is told to keep the bytes, as a list. */
function headersOf({ headers, header_map: list }: HttpRequestMessage): (name: string) => string | undefined {
  return (name) => {
    if (Object.hasOwn(headers, name)) return headers[name];
    const values = (list?.headers ?? [])
      .filter(({ key }) => key.toLowerCase() === name)
      .map(({ value, raw_value: raw }) => (raw.length > 0 ? Buffer.from(raw).toString('latin1') : value));
    return values.length === 0 ? undefined : values.join(',');
  };
}

/** A route of the proxy may set what its calls cost: `context_extensions: { cost: "5" }`. */
function costOf(extensions: Readonly<Record<string, string>>): number | null {
  if (!Object.hasOwn(extensions, 'cost')) return null;
  const text = extensions.cost ?? '';
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Fault('INPUT_INVALID', 'context_extensions.cost must be a whole number from 0 to 1000000');
}
