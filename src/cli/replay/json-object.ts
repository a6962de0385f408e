import { Fault, shapeOf } from '../../core/fault.ts';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * A line that must be a JSON object. The message of a parse error quotes the line, which may hold an identifier, so it is not
 * passed on.
 *
 * @param what is meant, for messages: `an event`
 */
export function parseObject(line: string, what: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    const why = line.includes('\0') ? 'not valid JSON: it contains a NUL byte' : 'not valid JSON';
    throw new Fault('INPUT_INVALID', why, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Fault('INPUT_INVALID', `${what} must be an object, got ${shapeOf(value)}`);
}
