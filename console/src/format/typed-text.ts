/** Controls, and marks that turn the direction of writing. Those that letters are joined by stay. */
const acting = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * What somebody has typed, for a place beside words that are not theirs: a mark that would turn those round as well, the
 * name of a token behind that of an operator for one, is shown and not obeyed. The feed comes like this from the service.
 */
export function typedText(text: string): string {
  return text.replace(acting, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
