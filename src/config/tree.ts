/** An object as a document holds it: fields by name. */
export type Tree = Readonly<Record<string, unknown>>;

/** Whether the value is an object with fields, neither null nor a list. */
export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects are merged field by field; everything else, lists too, replaces. What is undefined says nothing. */
export function merge(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  if (!isTree(under) || !isTree(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const [field, value] of Object.entries(over)) merged[field] = merge(under[field], value);
  return merged;
}

/** The value at the end of a way of field names and indexes, or undefined where the way ends before. */
export function valueAt(value: unknown, way: readonly string[]): unknown {
  return way.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined,
    value,
  );
}

/** A copy of plain data, frozen all the way down. The original may be a default that others share. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, frozenCopy(inner)]));
  return Object.freeze(copy) as T;
}
