import { type ESTree, type ParseResult, parseSync, Visitor, type VisitorObject } from 'vite';
import type { Finding, SourceFile } from './repository.ts';

const parsed = new WeakMap<SourceFile, ParseResult>();

/** The syntax tree of a TypeScript or JavaScript file; parsed once however many rules look at it. */
export function parseFile(file: SourceFile): ParseResult {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const result = parseSync(file.path, file.text, { sourceType: 'module' });
  parsed.set(file, result);
  return result;
}

/** Collects findings while walking the tree of a file. */
export function visitFile(
  file: SourceFile,
  visitors: (found: (node: { start: number }, what: string) => void) => VisitorObject,
): Finding[] {
  const findings: Finding[] = [];
  const found = (node: { start: number }, what: string) => {
    findings.push({ path: file.path, line: lineOf(file, node.start), what });
  };
  new Visitor(visitors(found)).visit(parseFile(file).program);
  return findings.sort((a, b) => a.line - b.line);
}

/** The line, from 1, of an offset into the text. */
export function lineOf(file: SourceFile, offset: number): number {
  return file.text.slice(0, offset).split('\n').length;
}

/** `object.property` of a plain member access, else null: `Date.now`, `vi.mock`, `it.each.skip`. */
export function memberName(node: ESTree.Node): string | null {
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier') return null;
  const object = memberName(node.object);
  return object === null ? null : `${object}.${node.property.name}`;
}

/** What is loaded with a file, before any of it runs: types are not there then, and what is imported later is not yet. */
export function loadedBy(file: SourceFile): { readonly from: string; readonly line: number }[] {
  const found: { from: string; line: number }[] = [];
  const add = ({ value, start }: ESTree.StringLiteral) =>
    found.push({ from: value, line: lineOf(file, start) });
  new Visitor({
    ImportDeclaration: ({ importKind, specifiers, source }) => {
      const isOfTypes = specifiers.length > 0 && specifiers.every(isType);
      if (importKind !== 'type' && !isOfTypes) add(source);
    },
    ExportNamedDeclaration: ({ exportKind, source }) => {
      if (exportKind !== 'type' && source !== null) add(source);
    },
    ExportAllDeclaration: ({ exportKind, source }) => {
      if (exportKind !== 'type') add(source);
    },
  }).visit(parseFile(file).program);
  return found;
}

const isType = (specifier: ESTree.ImportDeclarationSpecifier): boolean =>
  specifier.type === 'ImportSpecifier' && specifier.importKind === 'type';

/** What a file imports or re-exports, static or dynamic, as written, with its line. */
export function importsOf(file: SourceFile): { readonly from: string; readonly line: number }[] {
  const found: { from: string; line: number }[] = [];
  const add = (source: ESTree.Expression | null) => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
    found.push({ from: source.value, line: lineOf(file, source.start) });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
  }).visit(parseFile(file).program);
  return found;
}
