/** Longer cookie headers are not looked into: Node's limit for all headers is twice this. */
const longestHeader = 8_192;

/** The value of a cookie in a `Cookie` header, as it stands there; undefined when it is not there. The first one counts. */
export function cookieOf(header: string | null | undefined, name: string): string | undefined {
  if (!header || header.length > longestHeader) return undefined;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && bare(pair.slice(0, equals)) === name) return bare(pair.slice(equals + 1));
  }
  return undefined;
}

/** Without spaces and tabs around it, and nothing else: to a browser, what begins with another blank is another name. */
function bare(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  // By hand: a pattern that is anchored at the end is tried at every space on the way.
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 32 || code === 9;
