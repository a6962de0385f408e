// Puts every mutant of a file into it at once, each behind a switch: `(__m(17)?(a<=b):(a<b))`. So a file is compiled
// once, and a run chooses one mutant, or none, by a number.
import { parseSync } from 'vite';
import { isMessage, mutationsAt, protectedFields } from './mutators.mjs';

const typed = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
]);

/**
 * The mutants of a file, ordered by place, numbered from `firstId`, and the code that contains all of them.
 *
 * @param {string} path relative to the root, as reports name it
 * @param {string} text the source
 * @param {number} firstId
 */
export function instrument(path, text, firstId) {
  const mutants = findMutations(path, text)
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .map((mutation, index) => ({ id: firstId + index, path, ...mutation, ...shown(text, mutation) }));
  return { mutants, code: mutants.length === 0 ? text : switched(text, mutants) };
}

function findMutations(path, text) {
  const { program, errors } = parseSync(path, text, { sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const found = new Map();
  const source = ({ start, end }) => text.slice(start, end);
  walk(program, null, new Set(), (node) => {
    for (const mutation of mutationsAt(node, source)) {
      const key = `${mutation.place} ${mutation.start} ${mutation.end} ${mutation.text}`;
      if (!found.has(key) && mutation.text !== source(mutation)) found.set(key, mutation);
    }
  });
  return [...found.values()];
}

/** Visits every node that runs. */
function walk(node, parent, links, visit) {
  if (node.type.startsWith('TS') && !typed.has(node.type)) return;
  if (parent !== null && isMessage(parent, node)) return;
  if (node.type === 'ChainExpression') addLinks(node.expression, links);
  const constructs = parent?.type === 'MethodDefinition' && parent.kind === 'constructor';
  if (!links.has(node) && !constructs) visit(node);
  const skipped = protectedFields(node);
  for (const [field, value] of Object.entries(node)) {
    if (skipped.includes(field) || field === 'parent') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, node, links, visit);
    }
  }
}

/** The links of `a?.b.c()`: put in brackets, one of them would no longer end the chain early. */
function addLinks(node, links) {
  if (node?.type !== 'CallExpression' && node?.type !== 'MemberExpression') return;
  links.add(node);
  addLinks(node.callee ?? node.object, links);
}

function shown(text, { start, end, text: replacement, place }) {
  const before = text.slice(0, start);
  const short = (code) => code.replace(/\s+/g, ' ').replace(/^(.{70}).+$/, '$1…');
  return {
    line: before.split('\n').length,
    column: start - before.lastIndexOf('\n'),
    original: place === 'body' ? short(lineAt(text, start)) : short(text.slice(start, end)),
    mutated: place === 'statement' ? '(nothing)' : short(replacement),
  };
}

const lineAt = (text, offset) => {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return text.slice(start, offset + 1).trim();
};

/** The source with all switches put in. They are insertions only, so ranges inside one another stay right. */
function switched(text, mutants) {
  const ranges = new Map();
  for (const mutant of mutants) {
    const key = `${mutant.place} ${mutant.start} ${mutant.end}`;
    ranges.set(key, [...(ranges.get(key) ?? []), mutant]);
  }
  const opening = new Map();
  const closing = new Map();
  for (const group of ranges.values()) {
    const [first] = group;
    const [before, after] = switchOf(group);
    const startsAt = first.place === 'body' ? first.start + 1 : first.start;
    opening.set(startsAt, (opening.get(startsAt) ?? '') + before);
    closing.set(first.end, after + (closing.get(first.end) ?? ''));
  }
  let code = '';
  for (let at = 0; at <= text.length; at += 1) {
    code += (closing.get(at) ?? '') + (opening.get(at) ?? '') + (text[at] ?? '');
  }
  return `const __m = globalThis.__mutant;${code}`;
}

/** What stands before and after the original. */
function switchOf(mutants) {
  const [{ place, id }] = mutants;
  if (place === 'statement') return [`{if(!__m(${id})){`, '}}'];
  if (place === 'body') return [`if(__m(${id}))return;`, ''];
  return [`(${mutants.map((mutant) => `__m(${mutant.id})?(${mutant.text}):`).join('')}(`, '))'];
}
