import { Fault, shapeOf } from './fault.ts';

/** What becomes part of a key, a label or a header: the name of an environment, a limiter or a policy. */
export const namePattern = '^[\\w.-]{1,64}$';

/** What {@link namePattern} takes, for messages. */
export const nameWords = '1 to 64 letters, digits, "_", "." or "-"';

const shape = new RegExp(namePattern);

export const isName = (value: unknown): value is string => typeof value === 'string' && shape.test(value);

/** @throws Fault `CONFIG_INVALID` that names the field. */
export function assertName(field: string, value: unknown): void {
  if (isName(value)) return;
  throw new Fault('CONFIG_INVALID', `${field} must be ${nameWords}, got ${shapeOf(value)}`);
}
