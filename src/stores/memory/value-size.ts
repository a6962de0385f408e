/** What V8 spends on headers and references, roughly; a bound on memory needs the order of magnitude, not the byte. */
const referenceBytes = 8;
const numberBytes = 8;
const stringHeaderBytes = 24;
const objectHeaderBytes = 24;
const arrayHeaderBytes = 48;

/** A cheap structural estimate of the memory a plain JSON value takes, in bytes. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'number') return numberBytes;
  if (typeof value === 'string') return stringHeaderBytes + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? sizeOfArray(value) : sizeOfObject(value);
}

/**
 * A list of numbers is told by its first: whoever reads the items of lists of numbers and of others in one place has the
 * engine make all of them lists of references, each number apart from its list, and every rule that reads them slower.
 */
function sizeOfArray(values: readonly unknown[]): number {
  let bytes = arrayHeaderBytes + referenceBytes * values.length;
  if (typeof values.at(0) === 'number') return bytes;
  for (let place = 0; place < values.length; place += 1) bytes += sizeOf(values[place]);
  return bytes;
}

function sizeOfObject(value: object): number {
  let bytes = objectHeaderBytes;
  for (const name in value) bytes += referenceBytes + sizeOf(value[name as keyof typeof value]);
  return bytes;
}
