import { Fault, shapeOf } from '../core/fault.ts';

/** A service of the estate in one major version of its interface. */
export interface SlugKey {
  readonly name: string;
  readonly major: number;
}

/**
 * Neither `;` nor `>` nor `,` may occur: they part the fields and hops of a passport, and header lists.
 * At most 70 characters, so that a full hop path stays within the bound of the passport.
 */
const SLUG_KEY = /^([A-Za-z0-9][A-Za-z0-9._-]{0,62})@(0|[1-9]\d{0,5})$/;

/** Whether the text is `name@major` with exactly one `@`. */
export function isSlugKey(text: string): boolean {
  return SLUG_KEY.test(text);
}

/** Reads `name@major`. Anything else is a `Fault` of code `INPUT_INVALID`. */
export function parseSlugKey(text: unknown): SlugKey {
  const match = typeof text === 'string' ? SLUG_KEY.exec(text) : null;
  if (match === null) {
    throw new Fault('INPUT_INVALID', `slugKey: expected name@major with exactly one @, got ${shapeOf(text)}`);
  }
  return { name: match[1] ?? '', major: Number(match[2]) };
}
