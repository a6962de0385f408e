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

/** Freezes plain objects and lists all the way down. Anything else is left alone. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
