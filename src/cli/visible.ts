/** Controls, format marks (which may turn the direction of writing), half characters, line ends, and what quotes a text. */
const unsafe = /[\p{C}\p{Zl}\p{Zp}"\\]/gu;

/**
 * A text of somebody else's in quotes, as JSON writes it, for a terminal or a line of our own: nothing in it can move the
 * cursor, colour, ring, turn the direction of writing or end the line. Cut after `longest` characters.
 */
export function visible(text: string, longest = 200): string {
  const shown = text.length > longest ? text.slice(0, longest) : text;
  return `"${shown.replace(unsafe, escapeOf)}"${shown.length < text.length ? '…' : ''}`;
}

function escapeOf(char: string): string {
  if (char === '"' || char === '\\') return `\\${char}`;
  return [...Array(char.length).keys()]
    .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
