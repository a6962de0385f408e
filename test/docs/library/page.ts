import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../blocks.ts';
import { type Declaration, declarationOf, exportsOf } from './declarations.ts';
import { fieldTable, isType, typeTable, valueTable } from './tables.ts';

/** `portcullis/limits` and the file that it is. */
export function entries(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { types?: string } | string>;
  };
  return new Map(
    Object.entries(exports).flatMap(([name, entry]) =>
      typeof entry === 'string' || entry.types === undefined
        ? []
        : [[name.replace(/^\./, 'portcullis'), entry.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts')]],
    ),
  );
}

/**
 * `<!-- fields: portcullis/limits LimiterOptions -->` and the table behind it, which is made anew; `own` leaves out what the
 * type has from other files.
 */
const marker = /^(<!-- (exports|types|fields|own): (\S+)(?: (\w+))? -->)\n(?:\|.*\n)*/gm;

/** The page with all its tables as the sources have them now. */
export function filled(page: string): string {
  const tabled = tabledTypes(page);
  return page.replace(marker, (_, line: string, kind: string, where: string, name = '') => {
    return `${line}\n${tableFor(kind, where, name, tabled)}\n`;
  });
}

function tableFor(kind: string, where: string, name: string, tabled: ReadonlySet<string>): string {
  const path = entries().get(where) ?? where;
  if (kind === 'fields' || kind === 'own') return fieldTable(declarationOf(path, name), kind === 'own');
  const found = exportsOf(path);
  return kind === 'exports'
    ? valueTable(found.filter((declaration) => !isType(declaration)))
    : typeTable(found.filter((declaration) => isType(declaration) && !tabled.has(placeOf(declaration))));
}

/** Types that have a table of fields somewhere on the page. */
export function tabledTypes(page: string): ReadonlySet<string> {
  const places = [...page.matchAll(marker)].flatMap(([, , kind, where = '', name = '']) =>
    kind === 'fields' || kind === 'own' ? [placeOf(declarationOf(entries().get(where) ?? where, name))] : [],
  );
  return new Set(places);
}

/** Where a declaration stands: the same for each name and entry that it is exported by. */
export function placeOf({ source, node }: Declaration): string {
  return `${source.path}:${node.start}`;
}
