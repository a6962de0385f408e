import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, textOf } from './blocks.ts';
import { exportsOf } from './library/declarations.ts';
import { membersOf } from './library/members.ts';
import { entries, filled, placeOf, tabledTypes } from './library/page.ts';
import { isType } from './library/tables.ts';

const path = 'docs/reference/library.md';
const page = textOf(path);

/** Names that stand in code within the prose: `createGuard`, `take(call)`. */
function namesInProse(text: string): string[] {
  return text
    .replaceAll(/^```.*?^```$/gms, '')
    .split('\n')
    .filter((line) => !line.startsWith('|') && !line.startsWith('<!--'))
    .flatMap((line) => [...line.matchAll(/`([A-Za-z]\w+)(?:\([^`]*\))?`/g)].map(([, name = '']) => name));
}

/** Names that a reader can meet in the library: exports, fields and methods. */
const known = new Set(
  [...entries().values()].flatMap(exportsOf).flatMap((declaration) => {
    const members = membersOf(declaration) ?? [];
    return [declaration.name, ...members.map(({ name }) => name.replace(/\(.*$/, ''))];
  }),
);
/** Words of the prose that are no names of the library. */
const otherWords = new Set([
  'Secret',
  'Uint8Array',
  'Ms',
  'Args',
  'context',
  'Request',
  'Response',
  'info',
  'portcullis',
]);

/** `npx vitest run test/docs/library.test.ts -u` writes the tables anew. */
describe('the page of the library', () => {
  it('has the tables that the sources give', async () => {
    await expect(filled(page)).toMatchFileSnapshot(join(root, path));
  });

  it('has a part for each module, with all that it exports', () => {
    for (const [name, file] of entries()) {
      const [, part = ''] = page.split(`\n## ${name}\n`);
      const markers = part.split('\n## ')[0] ?? '';
      expect(markers, name).toContain(`<!-- exports: ${name} -->`);
      const tabled = tabledTypes(page);
      const rest = exportsOf(file).filter((found) => isType(found) && !tabled.has(placeOf(found)));
      expect(markers.includes(`<!-- types: ${name} -->`), `types of ${name}`).toBe(rest.length > 0);
    }
  });

  it('has a table of every set of options', () => {
    const tabled = tabledTypes(page);
    const without = [...entries().values()]
      .flatMap(exportsOf)
      .filter(({ name, node }) => name.endsWith('Options') && node.type === 'TSInterfaceDeclaration')
      .filter((declaration) => !tabled.has(placeOf(declaration)));
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('names in its prose what there is', () => {
    expect(known.size).toBeGreaterThan(300);
    expect(namesInProse(page).filter((name) => !known.has(name) && !otherWords.has(name))).toEqual([]);
  });
});

describe('a table', () => {
  const row = (text: string, name: string) =>
    text.split('\n').find((line) => line.startsWith(`| \`${name}\` `));

  it('is made anew where the page has an old one', () => {
    const old = '<!-- fields: portcullis GuardOptions -->\n| name |\n| `gone` |\n\nAfter it.\n';
    const now = filled(old);
    expect(now).not.toContain('gone');
    expect(now).toMatch(/\|\n\nAfter it\.\n$/);
    expect(filled(now)).toBe(now);
    expect(row(now, 'allowEventEvery')).toBe(
      '| `allowEventEvery` | `number` | 1: all | Of ALLOW decisions in mode NORMAL, every how many are told as `decision` events. |',
    );
    expect(row(now, 'secret')).toContain('| required |');
  });

  it('cannot be of something that is not there', () => {
    expect(() => filled('<!-- fields: portcullis NoSuchOptions -->\n')).toThrow('NoSuchOptions');
  });

  it('has what a type extends, unless only its own is asked for', () => {
    const whole = filled('<!-- fields: portcullis/fastify FastifyProtectOptions -->\n');
    const own = filled('<!-- own: portcullis/fastify FastifyProtectOptions -->\n');
    expect([row(whole, 'handler'), row(whole, 'trustedProxies'), row(own, 'handler')]).not.toContain(
      undefined,
    );
    expect(row(own, 'trustedProxies')).toBe(undefined);
  });

  it('leaves out what a type omits', () => {
    const table = filled('<!-- fields: portcullis/express-rate-limit PortcullisStoreOptions -->\n');
    expect([row(table, 'prefix'), row(table, 'store')]).not.toContain(undefined);
    expect(row(table, 'name')).toBe(undefined);
  });
});
