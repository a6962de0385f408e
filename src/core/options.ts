import { Fault, shapeOf } from './fault.ts';

/** What an option may be. `checked` is for what its reader checks by itself: secrets, numbers with bounds, choices. */
export type OptionKind = 'boolean' | 'function' | 'list' | 'object' | 'text' | 'checked';

/** Every option that there is. The compiler keeps it so: an option that is missing here would be refused. */
export type OptionKinds<Options> = Readonly<Record<keyof Options & string, OptionKind>>;

type Kinds = Readonly<Record<string, OptionKind>>;

/**
 * Refuses options that there are not, and those of another kind. Callers without types, and those who come from another
 * library, would otherwise believe that something is set which nobody reads.
 *
 * @param of whose options they are, for the message
 * @throws Fault `CONFIG_INVALID` that names the option.
 */
export function assertOptions(of: string, options: object, kinds: Kinds): void {
  const problem = optionProblem(of, options, kinds);
  if (problem !== null) throw new Fault('CONFIG_INVALID', problem);
}

/** The same as words; null where nothing is wrong. */
export function optionProblem(of: string, options: object, kinds: Kinds): string | null {
  if (!isObject(options)) return `options of ${of} must be an object, got ${shapeOf(options)}`;
  const known = new Map<string, OptionKind>(Object.entries(kinds));
  for (const [name, value] of Object.entries(options)) {
    const kind = known.get(name);
    if (kind === undefined) return `${name} is no option of ${of}: there are ${[...known.keys()].join(', ')}`;
    if (value !== undefined && !isKind[kind](value))
      return `${name} must be ${words[kind]}, got ${shapeOf(value)}`;
  }
  return null;
}

/**
 * Refuses what was handed in for a part and is another, or the options of one: it would be noticed at the first request.
 *
 * @param methods by which it is told from the parts that are easily taken for it
 * @param expected in words: `what createLimiter gives`
 * @throws Fault `CONFIG_INVALID` that names the part.
 */
export function assertPart(name: string, part: unknown, methods: readonly string[], expected: string): void {
  const got = shapeOf(part);
  if (!isObject(part)) throw new Fault('CONFIG_INVALID', `${name} must be ${expected}, got ${got}`);
  const missing = methods.find((method) => typeof Reflect.get(part, method) !== 'function');
  if (missing === undefined) return;
  throw new Fault('CONFIG_INVALID', `${name} must be ${expected}, got ${got} without ${missing}`);
}

/** @throws Fault `CONFIG_INVALID` when it is of another kind, or not there although it is needed. */
export function assertKind(name: string, value: unknown, kind: OptionKind): void {
  if (isKind[kind](value)) return;
  throw new Fault('CONFIG_INVALID', `${name} must be ${words[kind]}, got ${shapeOf(value)}`);
}

/** Every field that there is, as the compiler knows them. */
export function fieldNames<Of>(names: Readonly<Record<keyof Of & string, true>>): ReadonlySet<string> {
  return new Set(Object.keys(names));
}

/** The first field that there is not; null where there is none. Makes nothing, so that a call can ask each time. */
export function unknownField(fields: object, known: ReadonlySet<string>): string | null {
  for (const name in fields) {
    if (!known.has(name) && Object.hasOwn(fields, name)) return name;
  }
  return null;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isKind: Readonly<Record<OptionKind, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  function: (value) => typeof value === 'function',
  list: Array.isArray,
  object: isObject,
  text: (value) => typeof value === 'string',
  checked: () => true,
};

const words: Readonly<Record<OptionKind, string>> = {
  boolean: 'true or false',
  function: 'a function',
  list: 'a list',
  object: 'an object',
  text: 'a string',
  checked: 'what it is said to be',
};
