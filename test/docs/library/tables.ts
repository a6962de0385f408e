import { type Declaration, lookFor, textOfNode } from './declarations.ts';
import { type Member, membersOf, parameters, typeText } from './members.ts';

/** Every field of an interface or class, with what its comment says; `ownAlone` as in {@link membersOf}. */
export function fieldTable(declaration: Declaration, ownAlone = false): string {
  const members = membersOf(declaration, ownAlone);
  if (members === null) throw new TypeError(`${declaration.name} has no fields`);
  const hasDefaults = members.some(({ optional }) => optional);
  const rows = members.map((member) => {
    const { meaning, standard } = member.optional ? split(member.comment) : needed(member);
    return [code(member.name), code(member.type), ...(hasDefaults ? [standard] : []), meaning];
  });
  return table(['name', 'type', ...(hasDefaults ? ['default'] : []), 'is'], rows);
}

/** Functions, classes and constants. */
export function valueTable(declarations: readonly Declaration[]): string {
  return table(
    ['export', 'is'],
    declarations.map((declaration) => [code(signature(declaration)), prose(declaration.comment)]),
  );
}

/** Types; one without words, or that is a choice of words, is said in code. */
export function typeTable(declarations: readonly Declaration[]): string {
  return table(
    ['type', 'is'],
    declarations.map((declaration) => {
      const words = prose(declaration.comment);
      const said = words === '' || isChoice(declaration) ? [words, definition(declaration)] : [words];
      return [code(declaration.name), said.join(' ').trim()];
    }),
  );
}

function isChoice({ node }: Declaration): boolean {
  if (node.type !== 'TSTypeAliasDeclaration' || node.typeAnnotation.type !== 'TSUnionType') return false;
  return node.typeAnnotation.types.every(({ type }) => type === 'TSLiteralType');
}

export function isType({ node }: Declaration): boolean {
  return node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration';
}

function definition(declaration: Declaration): string {
  const { source, node } = declaration;
  if (node.type === 'TSTypeAliasDeclaration') {
    const text = textOfNode(source, node.typeAnnotation).replace(/^\| /, '');
    return code(wordsOf(source.path, text) ?? text);
  }
  const names = (membersOf(declaration) ?? []).map(({ name }) => code(name));
  return names.join(', ');
}

/** `(typeof rules)[number]` as the words that it stands for. */
function wordsOf(path: string, type: string): string | null {
  const [, list = ''] = /^\(typeof (\w+)\)\[number\]$/.exec(type) ?? [];
  const found = list === '' ? null : lookFor(path, list);
  if (found?.node.type !== 'VariableDeclarator' || found.node.init === null) return null;
  const words = textOfNode(found.source, found.node.init).match(/'[^']*'/g) ?? [];
  return words.join(' | ');
}

function signature({ name, source, node }: Declaration): string {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return `${name}${parameters(source, node.params)}: ${typeText(source, node.returnType)}`;
    case 'ClassDeclaration': {
      const made = node.body.body.find((member) => 'kind' in member && member.kind === 'constructor');
      const params = made?.type === 'MethodDefinition' ? parameters(source, made.value.params) : '()';
      return `new ${name}${params}`;
    }
    case 'VariableDeclarator':
      return node.id.typeAnnotation ? `${name}: ${typeText(source, node.id.typeAnnotation)}` : name;
    default:
      return name;
  }
}

interface Explained {
  readonly meaning: string;
  readonly standard: string;
}

/** A method is no option that somebody has to give. */
function needed({ name, comment }: Member): Explained {
  return { meaning: prose(comment), standard: name.endsWith(')') ? '' : 'required' };
}

/** What a comment says, and the default that it names. */
function split(comment: string): Explained {
  const text = prose(comment);
  const found = /(^|[.;:,)] )[Dd]efault:? (.+?)\.?(?=(?<=\.) |$)/.exec(text);
  if (found === null) return { meaning: text, standard: '–' };
  const [whole, before = '', standard = ''] = found;
  const head = (text.slice(0, found.index) + before.trimEnd()).replace(/[;,:]$/, '.');
  const tail = text.slice(found.index + whole.length).trim();
  return { meaning: `${head} ${tail}`.trim(), standard };
}

/** A comment as a cell has it: on one line, links as names, tags as sentences. */
function prose(comment: string): string {
  const [words = '', ...tags] = comment.split(/^@/m);
  const thrown = tags.filter((tag) => tag.startsWith('throws '));
  return [words, ...thrown.map((tag) => tag.replace(/^throws (?:a )?(?:Fault )?/, 'Throws '))]
    .join(' ')
    .replace(/\{@link ([\w.]+)\}/g, '`$1`')
    .replace(/; see `[\w-]+\.ts`(?: for why)?| \(see `[\w-]+\.ts`\)/g, '')
    .replace(/ ?\((?:engine contract )?§[\d., §]+\)/g, '')
    .replace(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n').replaceAll('|  |', '| |');
}
