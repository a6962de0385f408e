/**
 * Whether a line says that it is an attack; null when it does not say. The text is looked at first: most files have no
 * labels, and reading a line twice costs. A name may be written with escapes.
 */
export function attackLabelOf(line: string): boolean | null {
  if (!line.includes('"attack"') && !line.includes('\\')) return null;
  const { attack } = JSON.parse(line) as { readonly attack?: unknown };
  return typeof attack === 'boolean' ? attack : null;
}
