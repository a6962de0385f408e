/**
 * Texts that have a character for each byte (latin1): a character may be written partly as it is and partly escaped, so that
 * bytes are made characters last.
 */

/** The text that the bytes are, in UTF-8. */
export const utf8Of = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** With escapes such as `%2f` undone; what is no escape stands for itself. */
export function percentDecoded(bytes: string): string {
  return bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
