/** A value of the protocol with its type (SPOE specification §3.1). Integers beyond 2^53 are bigints. */
export type TypedData =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int32' | 'uint32' | 'int64' | 'uint64'; readonly value: number | bigint }
  | { readonly type: 'ipv4' | 'ipv6'; readonly value: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'binary'; readonly value: Uint8Array };

export const typeNumbers = {
  null: 0,
  bool: 1,
  int32: 2,
  uint32: 3,
  int64: 4,
  uint64: 5,
  ipv4: 6,
  ipv6: 7,
  string: 8,
  binary: 9,
} as const satisfies Record<TypedData['type'], number>;

/** Values by name, in the order they came; of a name that comes twice the last counts. */
export type KeyValues = ReadonlyMap<string, TypedData>;

export const text = (value: string): TypedData => ({ type: 'string', value });
export const count = (value: number): TypedData => ({ type: 'uint32', value });
export const flag = (value: boolean): TypedData => ({ type: 'bool', value });

/** The text of a string or of bytes; undefined for anything else. */
export function textOf(data: TypedData | undefined): string | undefined {
  if (data === undefined) return undefined;
  if (data.type === 'string' || data.type === 'ipv4' || data.type === 'ipv6') return data.value;
  return data.type === 'binary' ? Buffer.from(data.value).toString('latin1') : undefined;
}

/** The number of an integer that is one; undefined for anything else. */
export function numberOf(data: TypedData | undefined): number | undefined {
  if (data === undefined || !('value' in data)) return undefined;
  return typeof data.value === 'number' ? data.value : undefined;
}
