import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Lexer, Parser, parse, YAMLError } from 'yaml';
import { Fault } from '../core/fault.ts';

/** Nobody writes a larger configuration by hand; a larger file is a mistake or an attack. */
export const mostDocumentBytes = 1024 * 1024;
/** Deeper than any schema here. */
const mostDepth = 64;
/** Values a document may hold once its aliases are followed. */
const mostValues = 100_000;
const mostAliases = 100;
/** Pieces of text the reader of YAML tells apart; a thousand lines have some ten thousand. */
const mostLexemes = 300_000;

/** @throws the system's own error when the file is not there or may not be read; Fault `CONFIG_INVALID` when it is a folder. */
export function assertReadable(path: string): void {
  const file = openSync(path, 'r');
  const isFolder = fstatSync(file).isDirectory();
  closeSync(file);
  if (isFolder) throw new Fault('CONFIG_INVALID', `${path} is a folder: name a file in it`);
}

/** The text of a file. @throws Fault `CONFIG_INVALID` when it cannot be read or is larger than 1 MiB. */
export function readText(path: string): string {
  try {
    return readBounded(path);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new Fault('CONFIG_INVALID', `${path}: cannot be read${code}`, { cause });
  }
}

/** Reads no more than the bound, also of a file that lies about its size or has none, like a pipe. */
function readBounded(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.allocUnsafe(
      size > 0 && size < mostDocumentBytes ? size + 1 : mostDocumentBytes + 1,
    );
    let length = 0;
    while (length < buffer.length) {
      const read = readSync(file, buffer, length, buffer.length - length, null);
      if (read === 0) break;
      length += read;
    }
    if (length > mostDocumentBytes) {
      throw new Fault('CONFIG_INVALID', `${path}: is larger than ${mostDocumentBytes} bytes`);
    }
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}

/**
 * The value of a YAML or JSON text: null, booleans, numbers, strings, lists and objects, nothing else.
 *
 * @param source names the text in messages
 * @throws Fault `CONFIG_INVALID` when it is no YAML, too large, too deep or holds aliases without end.
 */
export function parseDocument(text: string, source: string): unknown {
  if (text.length > mostDocumentBytes) {
    throw new Fault('CONFIG_INVALID', `${source}: is larger than ${mostDocumentBytes} bytes`);
  }
  const value = parseText(text, source);
  const objection = objectionToValue(value);
  if (objection !== null) throw new Fault('CONFIG_INVALID', `${source}: ${objection}`);
  return value;
}

function parseText(text: string, source: string): unknown {
  const objection = objectionToText(text);
  if (objection !== null) throw new Fault('CONFIG_INVALID', `${source}: ${objection}`);
  try {
    return parse(text, { maxAliasCount: mostAliases, logLevel: 'error' });
  } catch (error) {
    // Not as the cause either: what the reader of YAML says quotes the text, and the text may hold secrets.
    throw new Fault('CONFIG_INVALID', `${source}: not valid YAML or JSON: ${flawOf(error)}`);
  }
}

/** What the codes of the reader of YAML mean. */
const flaws: Readonly<Record<YAMLError['code'], string>> = {
  ALIAS_PROPS: 'an alias has an anchor or a tag',
  BAD_ALIAS: 'the name of an alias or anchor is empty or ends in a colon',
  BAD_COLLECTION_TYPE: 'a tag does not fit its list or object',
  BAD_DIRECTIVE: 'a directive (%) is not known or not complete',
  BAD_DQ_ESCAPE: 'a text in double quotes has an escape (\\) that is none',
  BAD_INDENT: 'the indentation does not fit the lines around it',
  BAD_PROP_ORDER: 'an anchor or tag is in the wrong place',
  BAD_SCALAR_START: 'a text begins with a character that has to be quoted',
  BLOCK_AS_IMPLICIT_KEY: 'a list or object begins where it cannot; a text with a colon has to be quoted',
  BLOCK_IN_FLOW: 'an indented list or object is inside brackets',
  DUPLICATE_KEY: 'a field is there twice; its name must be unique',
  IMPOSSIBLE: 'it cannot be read',
  KEY_OVER_1024_CHARS: 'the name of a field is longer than 1024 characters',
  MISSING_CHAR: 'a character is missing: a closing quote or bracket, a comma, a colon, a dash or a space',
  MULTILINE_IMPLICIT_KEY: 'the name of a field goes over several lines, or its colon is missing',
  MULTIPLE_ANCHORS: 'a value has more than one anchor',
  MULTIPLE_DOCS: 'it holds multiple documents',
  MULTIPLE_TAGS: 'a value has more than one tag',
  NON_STRING_KEY: 'the name of a field is not a text',
  RESOURCE_EXHAUSTION: 'it needs more than any configuration does',
  TAB_AS_INDENT: 'a tab is used as indentation',
  TAG_RESOLVE_FAILED: 'a tag (!) is not known or does not fit its value',
  UNEXPECTED_TOKEN: 'a character or line is not expected',
};

/** What is wrong and where, in words of our own. */
function flawOf(error: unknown): string {
  if (error instanceof YAMLError) {
    const [at] = error.linePos ?? [];
    const flaw = flaws[error.code] ?? flaws.IMPOSSIBLE;
    return at === undefined ? flaw : `${flaw}, at line ${at.line}, column ${at.col}`;
  }
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('Excessive alias count')) return 'excessive alias count';
  if (message.startsWith('Unresolved alias')) {
    return 'an alias (*) has no anchor (&) before it; a text that begins with * has to be quoted';
  }
  return flaws.IMPOSSIBLE;
}

/**
 * The reader of YAML calls itself for every level of nesting, and some thousand levels end the process, not the call.
 * Its parser alone does not: it is asked first.
 */
function objectionToText(text: string): string | null {
  const parser = new Parser();
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)) lexemes += 1;
    lexemes += 1;
    if (parser.stack.length > mostDepth) return `is nested deeper than ${mostDepth} levels`;
    if (lexemes > mostLexemes) return 'has more parts than any configuration needs';
  }
  return null;
}

/** What a document must not hold, although YAML can. */
function objectionToValue(document: unknown): string | null {
  let values = 0;
  const judge = (value: unknown, depth: number): string | null => {
    values += 1;
    if (values > mostValues) return 'has more values than any configuration needs';
    if (depth > mostDepth) return `is nested deeper than ${mostDepth} levels`;
    if (typeof value !== 'object' || value === null)
      return isPlain(value) ? null : 'holds a value that JSON has not';
    if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) {
      return 'holds a value that JSON has not';
    }
    for (const [field, inner] of Object.entries(value)) {
      // Copied into another object, this name would change what the object is.
      if (field === '__proto__') return 'has a field named __proto__';
      const objection = judge(inner, depth + 1);
      if (objection !== null) return objection;
    }
    return null;
  };
  return judge(document, 0);
}

const isPlain = (value: unknown): boolean =>
  value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
