import { queryFields } from '../limits/request-path.ts';

/** One parameter of a query; its name in lower case, in which filters compare them. */
export type QueryParameter = readonly [name: string, value: string];

/** The parameters of a query, without its question mark. What is not well encoded is as it was sent. */
export function queryParameters(query: string): readonly QueryParameter[] {
  return queryFields(query).map(([name, value]) => [name.toLowerCase(), value]);
}
