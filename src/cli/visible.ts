/** Controls, format marks (which may turn the direction of writing), half characters, line ends. */
const acting = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** The same, and what quotes a text. */
const unsafe = /[\p{C}\p{Zl}\p{Zp}"\\]/gu;

/**
 * A text of somebody else's in quotes, as JSON writes it, for a terminal or a line of our own: nothing in it can move the
 * cursor, colour, ring, turn the direction of writing or end the line. Cut after `longest` characters.
 */
export function visible(text: string, longest = 200): string {
  const shown = text.length > longest ? text.slice(0, longest) : text;
  return `"${shown.replace(unsafe, escapeOf)}"${shown.length < text.length ? '…' : ''}`;
}

/** A line of ours that may hold somebody else's words: nothing in it can act on a terminal, all else is as it was. */
export const harmlessLine = (line: string): string => line.replace(acting, escapeOf);

/** A value as a line of JSON. `JSON.stringify` leaves what a terminal acts on beyond ASCII; escaped it is the same JSON. */
export const jsonLine = (value: unknown): string => `${harmlessLine(JSON.stringify(value))}\n`;

function escapeOf(char: string): string {
  if (char === '"' || char === '\\') return `\\${char}`;
  return [...Array(char.length).keys()]
    .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
