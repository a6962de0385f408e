// The small wrongs that a mutation run commits, one at a time. Each mutator looks at one node of the syntax tree and
// names what could stand in its place. Only what runs is mutated: types, imports and messages of faults are not.

const relational = { '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'] };
const equality = { '===': ['!=='], '!==': ['==='], '==': ['!='], '!=': ['=='] };
const arithmetic = { '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'], '**': ['*'] };
const bitwise = { '&': ['|'], '|': ['&'], '^': ['&'], '<<': ['>>'], '>>': ['<<'], '>>>': ['<<'] };
const logical = { '&&': ['||'], '||': ['&&'], '??': ['&&'] };
const assignment = { '+=': ['-='], '-=': ['+='], '*=': ['/='], '/=': ['*='], '|=': ['&='], '&=': ['|='] };
const twins = [
  ['min', 'max'],
  ['floor', 'ceil'],
  ['some', 'every'],
  ['startsWith', 'endsWith'],
  ['find', 'findLast'],
  ['findIndex', 'findLastIndex'],
  ['indexOf', 'lastIndexOf'],
];
const methodTwin = new Map(
  twins.flatMap(([a, b]) => [
    [a, b],
    [b, a],
  ]),
);
const droppable = new Set([
  'filter',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'slice',
  'trim',
  'toLowerCase',
]);

/** One possible wrong: `text` in place of the source from `start` to `end`. */
const instead = (kind, node, text) => ({ kind, place: 'expression', start: node.start, end: node.end, text });

function binary(node, source) {
  const swap = { ...relational, ...equality, ...arithmetic, ...bitwise }[node.operator] ?? [];
  const joinsText = node.operator === '+' && [node.left, node.right].some(isText);
  if (joinsText) return [];
  const kind =
    node.operator in relational ? 'relational' : node.operator in equality ? 'equality' : 'arithmetic';
  return swap.map((operator) => instead(kind, node, joined(node, operator, source)));
}

function joined(node, operator, source) {
  const side = (part) => (plain.has(part.type) ? source(part) : `(${source(part)})`);
  return `${side(node.left)} ${operator} ${side(node.right)}`;
}

/** Kinds of expression that need no brackets beside any operator. */
const plain = new Set([
  'CallExpression',
  'Identifier',
  'Literal',
  'MemberExpression',
  'ParenthesizedExpression',
  'ThisExpression',
]);

const isText = (node) =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');

function literal(node) {
  if (typeof node.value === 'boolean') return [instead('boolean', node, String(!node.value))];
  if (typeof node.value === 'number') return [instead('number', node, String(node.value + 1))];
  if (typeof node.value === 'string') return [instead('string', node, node.value === '' ? "'mutant'" : "''")];
  return [];
}

function condition(node) {
  if (node.test === null) return [];
  const values =
    node.type === 'IfStatement' || node.type === 'ConditionalExpression' ? ['true', 'false'] : ['false'];
  return values.map((value) => instead('condition', node.test, value));
}

/** A call of a method whose opposite exists, or that the result could do without. */
function call(node, source) {
  const { callee } = node;
  if (node.optional || callee.type !== 'MemberExpression' || callee.computed || callee.optional) return [];
  const name = callee.property.name;
  const found = [];
  const twin = methodTwin.get(name);
  if (twin !== undefined) {
    const rest = source({ start: callee.property.end, end: node.end });
    found.push(
      instead('call', node, `${source({ start: node.start, end: callee.property.start })}${twin}${rest}`),
    );
  }
  if (droppable.has(name)) found.push(instead('call', node, source(callee.object)));
  return found;
}

/** What is spread is forgotten: the rest of a record, the older entries of a list. */
function spreads(parts, nothing) {
  return parts
    .filter((part) => part?.type === 'SpreadElement')
    .map((part) => instead('spread', part.argument, nothing));
}

/** What an expression statement does is left out; a constructor cannot do without `super()`. */
function statement(node) {
  if (node.directive !== undefined && node.directive !== null) return [];
  if (node.expression.type === 'CallExpression' && node.expression.callee.type === 'Super') return [];
  return [{ kind: 'removal', place: 'statement', start: node.start, end: node.end, text: ';' }];
}

/** A function returns before it has done anything. */
function functionBody(node) {
  if (node.body?.type !== 'BlockStatement' || node.body.body.length === 0) return [];
  const { start, end } = node.body;
  return [{ kind: 'return', place: 'body', start, end, text: '{ return; }' }];
}

const mutators = {
  BinaryExpression: binary,
  LogicalExpression: (node, source) =>
    (logical[node.operator] ?? []).map((operator) =>
      instead('logical', node, joined(node, operator, source)),
    ),
  UnaryExpression: (node, source) =>
    node.operator === '!' || node.operator === '-' ? [instead('negation', node, source(node.argument))] : [],
  UpdateExpression: (node, source) => {
    const text = source(node);
    return [
      instead('arithmetic', node, text.includes('++') ? text.replace('++', '--') : text.replace('--', '++')),
    ];
  },
  AssignmentExpression: (node, source) =>
    (assignment[node.operator] ?? []).map((operator) =>
      instead('arithmetic', node, `${source(node.left)} ${operator} (${source(node.right)})`),
    ),
  Literal: literal,
  TemplateLiteral: (node) => [instead('string', node, '``')],
  ArrayExpression: (node) => [
    ...(node.elements.length > 0 ? [instead('array', node, '[]')] : []),
    ...spreads(node.elements, '[]'),
  ],
  ObjectExpression: (node) => spreads(node.properties, '{}'),
  IfStatement: condition,
  ConditionalExpression: condition,
  WhileStatement: condition,
  DoWhileStatement: condition,
  ForStatement: condition,
  CallExpression: call,
  ExpressionStatement: statement,
  FunctionDeclaration: functionBody,
  FunctionExpression: functionBody,
  ArrowFunctionExpression: functionBody,
};

/** The wrongs possible at one node. `source` gives the text of anything with a `start` and an `end`. */
export function mutationsAt(node, source) {
  return mutators[node.type]?.(node, source) ?? [];
}

/** What is to be left alone below a node: names of its fields. */
export function protectedFields(node) {
  switch (node.type) {
    case 'Property':
    case 'PropertyDefinition':
    case 'MethodDefinition':
      return node.computed ? [] : ['key'];
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
      return Object.keys(node);
    case 'ExportNamedDeclaration':
      return ['source', 'attributes', 'specifiers'];
    case 'TaggedTemplateExpression':
      return ['quasi'];
    default:
      return [];
  }
}

/** The message of a fault or an invariant is for people; no test should hold it word by word. */
export function isMessage(parent, node) {
  const callee = parent.callee?.type === 'Identifier' ? parent.callee.name : null;
  return (callee === 'Fault' || callee === 'invariant') && parent.arguments.indexOf(node) === 1;
}
