import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A fenced block of a document. */
export interface Block {
  readonly document: string;
  /** The document and the line on which the code begins. */
  readonly place: string;
  /** The word after the fence; empty when there is none. */
  readonly language: string;
  readonly code: string;
  /** Why it cannot be run; null when it can. */
  readonly notRun: string | null;
}

/** What a reader who is new here reads, by path from the root, in order. */
export function documents(): string[] {
  const under = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((path) => !path.includes('node_modules/'));
  const top = readdirSync(root).filter((name) => name.endsWith('.md'));
  return [...top, ...under('docs'), ...under('examples')].sort();
}

export function textOf(document: string): string {
  return readFileSync(join(root, document), 'utf8');
}

/** All blocks of all documents. */
export function allBlocks(): Block[] {
  return documents().flatMap((document) => blocksIn(document, textOf(document)));
}

const fence = /^( *)```(\S*)\s*$/;
/** Stands on the line before a block that cannot be run, and says why. */
const marker = /^\s*<!-- not run: (.+) -->\s*$/;

/** The blocks of one text, in order. */
export function blocksIn(document: string, text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const opened = fence.exec(lines[at] ?? '');
    if (opened === null) continue;
    const [, indent = '', language = ''] = opened;
    const begin = at + 1;
    at = begin;
    while (at < lines.length && lines[at]?.trim() !== '```') at += 1;
    const inside = lines.slice(begin, at).map((line) => line.slice(Math.min(indent.length, indentOf(line))));
    blocks.push({
      document,
      place: `${document}:${begin + 1}`,
      language,
      code: `${inside.join('\n')}\n`,
      notRun: marker.exec(lines[begin - 2] ?? '')?.[1] ?? null,
    });
  }
  return blocks;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
