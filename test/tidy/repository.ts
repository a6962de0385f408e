import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the repository: all that a rule gets to see. */
export interface SourceFile {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A place where a rule does not hold. `line` counts from 1; 0 means the file as a whole. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const skippedFolders = new Set(['node_modules', 'dist', 'coverage', 'reports']);
const textFile = /\.(ts|tsx|mjs|js|json|md|lua|sql|yaml|yml|proto|html|css|sh)$|^(LICENSE|run)$/;

/** The text files of the repository, in order of path. What the build, the tools and git keep is left out. */
export function readRepository(): SourceFile[] {
  const found: SourceFile[] = [];
  const enter = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name) && (entry.name === '.ci' || !entry.name.startsWith('.')))
          enter(full);
      } else if (entry.isFile() && textFile.test(entry.name) && entry.name !== 'package-lock.json') {
        found.push({ path: relative(root, full).split(sep).join('/'), text: readFileSync(full, 'utf8') });
      }
    }
  };
  enter(root);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** TypeScript of the library itself, without its tests. */
export function isSource(path: string): boolean {
  return path.startsWith('src/') && path.endsWith('.ts') && !isTest(path);
}

/** A file that only tests load. */
export function isTest(path: string): boolean {
  return /\.test\.(ts|mjs)$/.test(path) || path.startsWith('test/');
}

/** Findings as a test shows them: one `path:line what` each. */
export function toLines(findings: readonly Finding[]): string[] {
  return findings.map(({ path, line, what }) => `${path}${line > 0 ? `:${line}` : ''} ${what}`);
}
