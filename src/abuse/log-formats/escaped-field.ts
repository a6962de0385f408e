const escaped = /\\(?:x([0-9A-Fa-f]{2})|([\s\S]))/g;
const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', v: '\v', f: '\f' };
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * What a field of an access log was before the server escaped it: `\x22`, `\"`, `\\`, `\n`. Escaped bytes that are UTF-8 become
 * the characters they stand for, so that a name is the same in every log.
 */
export function unescapeField(field: string): string {
  if (!field.includes('\\')) return field;
  let hasBytes = false;
  const text = field.replace(escaped, (_, hex: string | undefined, char: string | undefined) => {
    if (hex === undefined) return named[char ?? ''] ?? char ?? '';
    const code = Number.parseInt(hex, 16);
    hasBytes ||= code > 127;
    return String.fromCharCode(code);
  });
  return hasBytes ? decoded(text) : text;
}

/** Text whose characters beyond ASCII are bytes; as it is where they are not UTF-8, or stand beside real characters. */
function decoded(text: string): string {
  if (/[\u0100-\uffff]/.test(text)) return text;
  try {
    return decoder.decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  } catch (cause) {
    if (cause instanceof TypeError) return text;
    throw cause;
  }
}

const escapesOfServers = /(?:\\x[0-9A-Fa-f]{2})+|\\[\s\S]/g;

/**
 * A line of JSON whose values a server has escaped as in any other log: nginx does so without `escape=json`, Apache always. Its escapes
 * that are none of JSON become some of it; null where there are none.
 */
export function withJsonEscapes(line: string): string | null {
  if (!/\\[xv]/.test(line)) return null;
  return line.replace(escapesOfServers, (found) =>
    found.startsWith('\\x') || found === '\\v' ? JSON.stringify(unescapeField(found)).slice(1, -1) : found,
  );
}
