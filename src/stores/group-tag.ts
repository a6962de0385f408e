/**
 * The record group a key belongs to: what stands in its first non-empty braces, else the whole key, as Redis Cluster
 * defines hash tags.
 */
export function tagOf(text: string): string {
  const open = text.indexOf('{');
  if (open === -1) return text;
  const close = text.indexOf('}', open + 1);
  return close > open + 1 ? text.slice(open + 1, close) : text;
}
