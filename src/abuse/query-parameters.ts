import { decodedSegment } from '../limits/request-path.ts';

/** One parameter of a query; its name in lower case, in which filters compare them. */
export type QueryParameter = readonly [name: string, value: string];

/**
 * The parameters of a query, without its question mark. `URLSearchParams` reads the same, but throws and catches an exception for
 * every text that is not well encoded: a query may have thousands of them, which would hold up everybody.
 */
export function queryParameters(query: string): readonly QueryParameter[] {
  const parameters: QueryParameter[] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? '' : part.slice(equals + 1);
    parameters.push([decoded(name).toLowerCase(), decoded(value)]);
  }
  return parameters;
}

function decoded(text: string): string {
  return decodedSegment(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
