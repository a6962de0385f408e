import { type Finding, isSource, type SourceFile } from './repository.ts';
import { memberName, visitFile } from './syntax.ts';

const forbiddenMembers = new Set(['Math.random']);
const forbiddenGlobals = new Set([
  'Date',
  'Promise',
  'console',
  'crypto',
  'fetch',
  'globalThis',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
]);

/** Clocks, randomness, waiting and the process in `src/core`, where a decision must depend on its input alone. */
export function impurities(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => isSource(file.path) && file.path.startsWith('src/core/'))
    .flatMap(impuritiesOf);
}

function impuritiesOf(file: SourceFile): Finding[] {
  return visitFile(file, (found) => {
    const async = (node: { start: number; async: boolean }) => {
      if (node.async) found(node, 'async in the core');
    };
    return {
      AwaitExpression: (node) => found(node, 'await in the core'),
      FunctionDeclaration: async,
      FunctionExpression: async,
      ArrowFunctionExpression: async,
      ImportExpression: (node) => found(node, 'dynamic import in the core'),
      MetaProperty: (node) => found(node, 'import.meta in the core'),
      MemberExpression: (node) => {
        const name = memberName(node);
        if (name !== null && forbiddenMembers.has(name)) found(node, `${name} in the core`);
        if (node.object.type === 'Identifier' && forbiddenGlobals.has(node.object.name)) {
          found(node, `${node.object.name} in the core`);
        }
      },
      NewExpression: (node) => {
        if (node.callee.type === 'Identifier' && forbiddenGlobals.has(node.callee.name)) {
          found(node, `new ${node.callee.name} in the core`);
        }
      },
      CallExpression: (node) => {
        if (node.callee.type === 'Identifier' && forbiddenGlobals.has(node.callee.name)) {
          found(node, `${node.callee.name}() in the core`);
        }
      },
    };
  });
}
