import type { ESTree } from 'vite';
import { commentAbove, type Declaration, lookFor, type Source, textOfNode } from './declarations.ts';

/** A field or a method of an interface or a class. */
export interface Member {
  /** `deadlineMs`, `anonymous.burst`, `check(request: GuardRequest)`. */
  readonly name: string;
  /** Of a method: what it gives. */
  readonly type: string;
  readonly optional: boolean;
  readonly comment: string;
}

type Node = ESTree.TSSignature | ESTree.ClassElement;

/**
 * The members of a declaration and of those it extends; null when it has none, being a union or a function.
 *
 * @param ownAlone leaves out what it extends in other files
 */
export function membersOf({ source, node }: Declaration, ownAlone = false): Member[] | null {
  switch (node.type) {
    case 'TSInterfaceDeclaration': {
      const inherited = node.extends.flatMap(({ expression, typeArguments }) => {
        const name = textOfNode(source, expression);
        const isElsewhere = lookFor(source.path, name)?.source.path !== source.path;
        return ownAlone && isElsewhere ? [] : inheritedBy(source, name, typeArguments?.params ?? []);
      });
      const own = node.body.body.flatMap((member) => memberOf(source, member));
      return [...inherited.filter(({ name }) => !own.some((other) => other.name === name)), ...own];
    }
    case 'TSTypeAliasDeclaration':
      return membersOfType(source, node.typeAnnotation);
    case 'ClassDeclaration':
      return node.body.body.flatMap((member) => memberOf(source, member));
    default:
      return null;
  }
}

/** What an interface has from another one, `Omit` and `Partial` being understood. */
function inheritedBy(source: Source, name: string, given: readonly ESTree.TSType[]): Member[] {
  const [first, second] = given;
  if (first !== undefined && ['Omit', 'Partial', 'Pick'].includes(name)) {
    const inner = membersOfType(source, first) ?? [];
    if (name === 'Partial') return inner.map((member) => ({ ...member, optional: true }));
    const names = second === undefined ? '' : textOfNode(source, second);
    return inner.filter((member) => names.includes(`'${member.name}'`) === (name === 'Pick'));
  }
  const found = lookFor(source.path, name);
  return found === null ? [] : (membersOf(found) ?? []);
}

function membersOfType(source: Source, type: ESTree.TSType): Member[] | null {
  if (type.type === 'TSTypeLiteral') return type.members.flatMap((member) => memberOf(source, member));
  if (type.type !== 'TSTypeReference') return null;
  const name = textOfNode(source, type.typeName);
  const members = inheritedBy(source, name, type.typeArguments?.params ?? []);
  return members.length === 0 ? null : members;
}

function memberOf(source: Source, node: Node): Member[] {
  const comment = commentAbove(source, node.start);
  switch (node.type) {
    case 'TSPropertySignature':
      return field(source, node, comment);
    case 'TSMethodSignature': {
      const name = `${textOfNode(source, node.key)}${parameters(source, node.params)}`;
      return [{ name, type: typeText(source, node.returnType), optional: node.optional, comment }];
    }
    case 'MethodDefinition': {
      const { key, kind, value } = node;
      if (key.type !== 'Identifier' || kind === 'constructor' || kind === 'set' || node.static) return [];
      const name = kind === 'get' ? key.name : `${key.name}${parameters(source, value.params)}`;
      return [{ name, type: typeText(source, value.returnType), optional: false, comment }];
    }
    case 'PropertyDefinition':
      return node.key.type === 'Identifier' && !node.static && node.typeAnnotation
        ? field(source, { key: node.key, optional: false, typeAnnotation: node.typeAnnotation }, comment)
        : [];
    default:
      return [];
  }
}

/** A field, and behind it those of the object that it is, where they are written down in its place. */
function field(
  source: Source,
  node: { key: ESTree.PropertyKey; optional: boolean; typeAnnotation: ESTree.TSTypeAnnotation | null },
  comment: string,
): Member[] {
  const name = textOfNode(source, node.key);
  const literal = literalIn(node.typeAnnotation?.typeAnnotation);
  if (literal === null) {
    const type = typeText(source, node.typeAnnotation);
    return [{ name, type: node.optional ? withoutUndefined(type) : type, optional: node.optional, comment }];
  }
  const inner = literal.members.flatMap((member) => memberOf(source, member));
  return [
    { name, type: 'object', optional: node.optional, comment },
    ...inner.map((member) => ({ ...member, name: `${name}.${member.name}` })),
  ];
}

/** The object type of `{ … }` and `{ … } | undefined`. */
function literalIn(type: ESTree.TSType | undefined): ESTree.TSTypeLiteral | null {
  if (type?.type === 'TSTypeLiteral') return type;
  if (type?.type !== 'TSUnionType') return null;
  const [first, ...others] = type.types;
  const isOptional = others.every(({ type }) => type === 'TSUndefinedKeyword');
  return first?.type === 'TSTypeLiteral' && isOptional ? first : null;
}

/** Parameters as a caller sees them: `{ a, b = 1 }: Options = {}` is `options?: Options`. */
export function parameters(source: Source, params: readonly ESTree.ParamPattern[]): string {
  const shown = params.map((param) => {
    const hasDefault = param.type === 'AssignmentPattern';
    const bare = hasDefault ? param.left : param;
    if (bare.type === 'ObjectPattern') {
      return `options${hasDefault ? '?' : ''}: ${typeText(source, bare.typeAnnotation)}`;
    }
    const text = textOfNode(source, bare);
    return hasDefault ? text.replace(/^(\w+)/, '$1?') : text;
  });
  return `(${shown.join(', ')})`;
}

export function typeText(source: Source, annotation: ESTree.TSTypeAnnotation | null | undefined): string {
  return annotation ? textOfNode(source, annotation.typeAnnotation).replace(/^\| /, '') : 'void';
}

/** Without what only says once more that a field may be left out. */
function withoutUndefined(type: string): string {
  const bare = type.replace(/ \| undefined$/, '');
  return /^\(.*\)$/.test(bare) && bare !== type ? bare.slice(1, -1) : bare;
}
