import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ESTree, type ParseResult, parseSync } from 'vite';
import { root } from '../blocks.ts';

/** A parsed source of the library. */
export interface Source {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly parsed: ParseResult;
}

export type Declared =
  | ESTree.Function
  | ESTree.Class
  | ESTree.TSInterfaceDeclaration
  | ESTree.TSTypeAliasDeclaration
  | ESTree.VariableDeclarator;

/** Something that a module has, where it is written down. */
export interface Declaration {
  readonly name: string;
  readonly source: Source;
  readonly node: Declared;
  /** The comment above it, without its stars; empty when there is none. */
  readonly comment: string;
}

const sources = new Map<string, Source>();

function sourceAt(path: string): Source {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, path), 'utf8');
  const source = { path, text, parsed: parseSync(path, text, { sourceType: 'module' }) };
  sources.set(path, source);
  return source;
}

/** The text of a node on one line, without comments. */
export function textOfNode({ text, parsed }: Source, { start, end }: { start: number; end: number }): string {
  const comments = parsed.comments.filter((comment) => comment.start >= start && comment.end <= end);
  const kept = comments.reduceRight(
    (rest, comment) => rest.slice(0, comment.start - start) + rest.slice(comment.end - start),
    text.slice(start, end),
  );
  return kept
    .replace(/\s+/g, ' ')
    .replace(/([([]) | ([)\]])/g, '$1$2')
    .replace(/,([)\]])/g, '$1')
    .trim();
}

/** The TSDoc that stands right above a place. */
export function commentAbove({ text, parsed }: Source, start: number): string {
  const above = parsed.comments.findLast(({ end }) => end <= start);
  // A comment with an empty line below it is the file's.
  const isRightAbove = above !== undefined && /^\n? *$/.test(text.slice(above.end, start));
  if (!isRightAbove || above.type !== 'Block' || !above.value.startsWith('*')) return '';
  return above.value.replace(/^\s*\*+ ?/gm, '').trim();
}

/** What a module exports, by the name it has outside, in order of name. */
export function exportsOf(path: string): Declaration[] {
  const source = sourceAt(path);
  const found: Declaration[] = [];
  for (const statement of source.parsed.program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const specifier of statement.specifiers) {
      const from = statement.source === null ? path : fileOf(path, statement.source.value);
      found.push({ ...declarationOf(from, nameOf(specifier.local)), name: nameOf(specifier.exported) });
    }
    found.push(...declaredBy(source, statement));
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a name means in a file: declared there, or where it is imported from. */
export function declarationOf(path: string, name: string): Declaration {
  const found = lookFor(path, name);
  if (found === null) throw new TypeError(`${path} has no declaration of ${name}`);
  return found;
}

/** The same, or null where the name comes from outside of the library. */
export function lookFor(path: string, name: string): Declaration | null {
  const source = sourceAt(path);
  for (const statement of source.parsed.program.body) {
    const declared = declaredBy(source, statement).find((candidate) => candidate.name === name);
    if (declared !== undefined) return declared;
    if (statement.type !== 'ImportDeclaration' && statement.type !== 'ExportNamedDeclaration') continue;
    const { value: from } = statement.source ?? {};
    if (from === undefined || !from.startsWith('.')) continue;
    for (const specifier of statement.specifiers) {
      if (specifier.type === 'ImportSpecifier' && specifier.local.name === name) {
        return lookFor(fileOf(path, from), nameOf(specifier.imported));
      }
      if (specifier.type === 'ExportSpecifier' && nameOf(specifier.exported) === name) {
        return lookFor(fileOf(path, from), nameOf(specifier.local));
      }
    }
  }
  return null;
}

function declaredBy(source: Source, statement: ESTree.Statement | ESTree.Directive): Declaration[] {
  const isExport = statement.type === 'ExportNamedDeclaration';
  const node = isExport ? statement.declaration : statement;
  const comment = commentAbove(source, statement.start);
  switch (node?.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
      return node.id === null ? [] : [{ name: node.id.name, source, node, comment }];
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return [{ name: node.id.name, source, node, comment }];
    case 'VariableDeclaration':
      return node.declarations.flatMap((variable) =>
        variable.id.type === 'Identifier'
          ? [{ name: variable.id.name, source, node: variable, comment }]
          : [],
      );
    default:
      return [];
  }
}

function fileOf(importer: string, from: string): string {
  const path = join(dirname(importer), from);
  if (!existsSync(join(root, path))) throw new TypeError(`${importer} imports ${from}, which is not there`);
  return path;
}

function nameOf(name: ESTree.ModuleExportName): string {
  return name.type === 'Literal' ? name.value : name.name;
}
